import { Page } from './http';

/** The most entries that one answer may have. */
export const MOST = 500;

/** All entries of a list, page after page. */
export async function everything<T>(
  ask: (part: { offset: number; limit: number }) => Promise<Page<T>>,
): Promise<readonly T[]> {
  const rows: T[] = [];
  for (;;) {
    const page = await ask({ offset: rows.length, limit: MOST });
    rows.push(...page.rows);
    if (rows.length >= page.total || page.rows.length === 0) return rows;
  }
}
