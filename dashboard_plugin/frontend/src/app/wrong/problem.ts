import { Problem } from '../../generated/types';

/** Where more is said of a problem. */
export function problemRoute({ page, finding, target }: Problem): string {
  switch (page) {
    case 'finding':
      return `/findings/${finding ?? ''}`;
    case 'enclosure':
      return `/enclosures/${encodeURIComponent(target.id)}`;
    case 'paths':
      return '/hardware';
    case 'doctor':
      return '/wrong?sort=advice';
    default:
      return '/laggy';
  }
}

/** Whether something is wrong: more than a hint, and nobody has muted it. */
export function isLoud({ muted, severity }: Problem): boolean {
  return !muted && severity !== 'info';
}
