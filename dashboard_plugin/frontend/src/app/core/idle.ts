/** Resolves once the browser has nothing better to do; soon in any case. */
export async function idle(): Promise<void> {
  await new Promise<void>((resolve) => {
    // Safari has no requestIdleCallback.
    if (typeof requestIdleCallback === 'function') {
      requestIdleCallback(() => resolve(), { timeout: LATEST_MS });
    } else setTimeout(resolve, LATEST_MS / 10);
  });
}

const LATEST_MS = 2_000;
