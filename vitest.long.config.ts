import { defineConfig } from 'vitest/config';

// The random experiments of the ordinary suite at twenty times their size, and the crashes at full length.
export default defineConfig({
  test: {
    include: [
      'test/long/**/*.test.ts',
      'test/engine/{replay-,}properties.test.ts',
      'test/engine/workflow/robustness.test.ts',
      'test/bot/grammar/noise.test.ts',
      'test/queue/backlog.test.ts',
      'test/queue/bullmq-chaos.test.ts',
      'test/e2e/one-conversation*.test.ts',
    ],
    env: { EXPERIMENT_SIZE: '20' },
    globalSetup: ['test/folder.ts'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
    pool: 'forks',
    fileParallelism: false,
  },
});
