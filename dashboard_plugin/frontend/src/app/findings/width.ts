import { Finding } from '../../generated/types';

/** Kinds of causes, the widest first. */
const WIDTHS = ['cluster', 'cohort', 'rack', 'enclosure', 'host', 'pool', 'osd'];
const SEVERITIES: readonly Finding['severity'][] = ['error', 'warning', 'info'];

/** The widest cause first, then the worst, then the newest. */
export function widestFirst(findings: readonly Finding[]): readonly Finding[] {
  return [...findings].sort(
    (a, b) =>
      width(a) - width(b) ||
      SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
      (b.first_seen ?? '').localeCompare(a.first_seen ?? '') ||
      a.id - b.id,
  );
}

/** A kind that is not known is no reason to hide it: it stands with the OSDs. */
function width({ target }: Finding): number {
  const place = WIDTHS.indexOf(target.kind);
  return place < 0 ? WIDTHS.length - 1 : place;
}
