import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { pageChanges } from './test/foundations/page-changes.js';
import { alone, extended, projectNames, whole } from './test/foundations/test-projects.js';
import { moduleCache } from './test/module-cache.js';

/** They start first: started last, one long file would leave the other workers idle. */
const slow =
  /test\/(crash|e2e|agents|chaos|faults|web\/browser)\/|telegram\/(topics|closing)|workspace\/merge|queue\/bullmq|branch-work|one-writer|engine\/(replay-)?properties|grammar\/noise|render\/limits/;

/** Before all others of their project: a real coding agent takes its time, and the steps of a file come one by one. */
const longest = /e2e\/agents-(proof|workflows)/;

/** They spend most of their time waiting for a platform's rate limit, a lease or a timeout, and use little processor. */
const waiting =
  /test\/(chaos|faults|queue|dispatch\/standby|bot\/channels\/(telegram|slack))\/|e2e\/(slack|telegram|worker|standby|one-conversation|asking|terminal)|one-writer/;

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // One project after the other: a worker process is kept only while the next file belongs to the same project.
    return projectNames.flatMap((name) => {
      const own = sorted.filter(({ project }) => project.name === name);
      const first = own.filter(({ moduleId }) => longest.test(moduleId));
      const next = own.filter((file) => slow.test(file.moduleId) && !first.includes(file));
      return [...new Set([...first, ...mixed(next), ...own])];
    });
  }
}

/** Alternates files that wait with files that compute, so that the cores are neither idle nor overloaded. */
function mixed(files: readonly TestSpecification[]): TestSpecification[] {
  const waits = files.filter(({ moduleId }) => waiting.test(moduleId));
  const computes = files.filter(({ moduleId }) => !waiting.test(moduleId));
  const length = Math.max(waits.length, computes.length);
  return Array.from({ length }, (_, at) => [waits[at], computes[at]])
    .flat()
    .filter((file) => file !== undefined);
}

const { CI } = process.env;
const ci = CI === 'true';

/** Several tests of a file run at once, so each takes minutes on a busy machine. Only a test that hangs reaches the limit. */
const wholeBosun = { testTimeout: 240_000, hookTimeout: 90_000 };

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'alone', include: alone } },
      {
        extends: true,
        plugins: [pageChanges()],
        // The cache knows a file by its text on the disk, which this project replaces.
        test: { name: 'extended', include: extended, experimental: { fsModuleCache: false }, ...wholeBosun },
      },
      {
        extends: true,
        test: { name: 'whole', include: whole, exclude: extended, isolate: false, ...wholeBosun },
      },
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['test/**/*.test.ts'],
          exclude: ['test/long/**', '**/node_modules/**', ...alone, ...extended, ...whole],
          isolate: false,
        },
      },
    ],
    experimental: { fsModuleCache: true, fsModuleCachePath: moduleCache },
    globalSetup: ['test/folder.ts', 'test/git-starter-script.ts', 'test/module-cache.ts'],
    setupFiles: ['test/setup.ts'],
    // A machine that is busy with other work may be several times slower; a limit only ends what hangs.
    testTimeout: 60_000,
    hookTimeout: 90_000,
    // .ci/run lists every test that needed its second try: it is flaky, which is a defect.
    retry: ci ? 1 : 0,
    // As long as a busy machine may need; the time limit of its test ends a look that lasts.
    expect: { poll: { timeout: 45_000 } },
    pool: 'forks',
    sequence: { sequencer: SlowFirst },
    // Two more than the cores of the machine that it must be quick on: one of four waits most of the time.
    maxWorkers: 4,
    coverage: {
      provider: 'v8',
      include: ['src/engine/**'],
      reporter: ['text', 'html'],
      thresholds: { lines: 100, branches: 100, functions: 100, statements: 100 },
    },
  },
});
