import presets from 'jest-preset-angular/presets/index.js';

// What pages show is compared with what they showed before.
process.env.TZ = 'UTC';

/** @type {import('jest').Config} */
export default {
  ...presets.createEsmPreset({ tsconfig: '<rootDir>/tsconfig.spec.json' }),
  roots: ['<rootDir>/src'],
  setupFilesAfterEnv: ['<rootDir>/src/testing/setup.ts'],
  moduleNameMapper: { '\\.css$': '<rootDir>/src/testing/no-css.ts' },
  cacheDirectory: '.cache/jest',
  maxWorkers: 1,
  // Two cores may be shared with whole clusters: slow is not wrong.
  testTimeout: 60_000,
};
