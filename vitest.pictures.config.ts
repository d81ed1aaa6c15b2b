import { defineConfig } from 'vitest/config';

// `npm run pictures` draws docs/images anew.
export default defineConfig({
  test: {
    include: ['test/pictures/*.test.ts'],
    globalSetup: ['test/folder.ts'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 600_000,
    hookTimeout: 240_000,
    pool: 'forks',
    fileParallelism: false,
  },
});
