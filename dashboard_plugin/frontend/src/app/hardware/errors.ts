import { CrcErrors } from '../../generated/types';

/** What links and media count, in words. */
export const ERRORS: Readonly<Record<CrcErrors['kind'], string>> = {
  udma_crc: 'CRC errors',
  invalid_dword: 'Invalid dwords',
  running_disparity: 'Disparity errors',
  loss_of_dword_sync: 'Losses of sync',
  phy_reset_problem: 'Failed phy resets',
  pcie_correctable: 'PCIe, corrected',
  pcie_nonfatal: 'PCIe, not corrected',
  pcie_fatal: 'PCIe, link down',
  read_retries: 'Read retries',
  read_errors: 'Failed reads',
  pending_sectors: 'Pending sectors',
  media_errors: 'Media errors',
  grown_defects: 'Replaced sectors',
  failing: 'Failing by its own check',
  spare_blocks_low: 'Spare blocks used up',
  temperature_warning: 'Temperature out of range',
  reliability_degraded: 'Not reliable any more',
  read_only: 'Read only',
  memory_backup_failed: 'Power backup of its memory failed',
  persistent_memory_unreliable: 'Persistent memory not reliable',
};

/** What a drive counts and warns of; null: its host did not tell it. */
export function smartText(counts: Readonly<Record<string, number>> | null): string {
  if (counts === null) return 'not known';
  const errors = Object.entries(counts).filter(([, count]) => count > 0);
  const words = errors.map(([kind, count]) => `${ERRORS[kind as CrcErrors['kind']]} ${count}`);
  return words.join(', ') || 'no errors';
}
