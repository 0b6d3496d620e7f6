/** @type {import('../src/generated/types.js').Limits} */
export const LIMITS = {
  slow_percent: 100 / 1.2,
  slow_z: -5,
  half_percent: 50,
  half_z: -3.5,
  watch_ratio: 1.2,
  frame_seconds: 15,
  frame_ratio: 2,
  max_clients: 64,
  max_threads: 256,
  min_seconds: 2,
  max_seconds: 3600,
  max_rests: 12,
  min_every_seconds: 600,
  max_import_bytes: 8 * 2 ** 20,
};
