/** @type {import('jest').Config} */
export default {
    preset: 'jest-preset-angular/presets/defaults-esm',
    roots: ['<rootDir>/src', '<rootDir>/fake'],
    setupFilesAfterEnv: ['<rootDir>/src/testing/setup.ts'],
    moduleNameMapper: { '\\.css$': '<rootDir>/src/testing/no-css.ts' },
    cacheDirectory: '.cache/jest',
    maxWorkers: 2,
};
