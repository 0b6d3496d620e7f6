/** The built tab over the module itself on a simulated cluster: `qa/tab serve`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const PROGRAM = new URL('../../../qa/tab', import.meta.url).pathname;

export const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** @param {readonly string[]} options
 * @returns {Promise<{url: string, close: () => void}>} */
export async function served(...options) {
  const server = spawn(PROGRAM, ['serve', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await Promise.race([once(server.stdout, 'data'), once(server, 'exit')]);
  const url = String(line).trim();
  if (!url.startsWith('http')) throw new Error('qa/tab serve did not start');
  return { url, close: () => void server.kill() };
}
