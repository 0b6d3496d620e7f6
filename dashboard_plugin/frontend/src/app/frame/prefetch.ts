import { idle } from '../core/idle';
import { PAGES } from './pages';

/** What would else be loaded when it is first needed: the pages, and what draws their charts. */
const CHUNKS: readonly (() => Promise<unknown>)[] = [
  ...PAGES.map((page) => page.load),
  async () => (await import('../charts/warm')).warm(),
];

/** Load them one by one while nothing else goes on, so that no page is waited for. */
export async function prefetch(
  gone: () => boolean,
  chunks: readonly (() => Promise<unknown>)[] = CHUNKS,
): Promise<void> {
  for (const load of chunks) {
    await idle();
    if (gone()) return;
    // The page that needs it tries again, and says so when it cannot be had.
    await load().catch(() => undefined);
  }
}
