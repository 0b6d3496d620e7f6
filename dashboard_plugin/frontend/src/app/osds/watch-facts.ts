import { OsdDetail } from '../../generated/types';
import { milliseconds, number } from '../core/format';
import { Translate } from '../i18n/i18n';
import { Fact } from '../shared/facts.component';

/** What the watch sees of an OSD, in figures. */
export function watchFacts(osd: OsdDetail, t: Translate): readonly Fact[] {
  const ms = (value: number | null): string =>
    value === null ? t('common.no-data') : `${milliseconds(value)} ms`;
  const latencies = [
    { name: t('channel.commit'), text: ms(osd.commit_ms), help: t('channel.commit.help') },
    { name: t('channel.client_read'), text: ms(osd.read_ms), help: t('channel.client_read.help') },
    {
      name: t('channel.client_write'),
      text: ms(osd.write_ms),
      help: t('channel.client_write.help'),
    },
    { name: t('channel.queue'), text: ms(osd.queue_ms), help: t('channel.queue.help') },
  ];
  if (osd.ratio === null) return latencies;
  return [
    { name: t('common.ratio'), text: number(osd.ratio, 2), help: t('common.ratio.help') },
    { name: t('common.watch-z'), text: number(osd.robust_z), help: t('common.watch-z.help') },
    { name: t('common.risk'), text: number(osd.risk), help: t('common.risk.help') },
    ...latencies,
  ];
}
