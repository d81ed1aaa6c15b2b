import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { pageChanges } from './test/foundations/page-changes.js';

/** What takes longest begins first: begun last, one file would keep everybody waiting. */
const slow =
  /test\/(crash|e2e|agents|chaos|faults|web\/browser)\/|telegram\/(topics|closing)|workspace\/merge|queue\/bullmq|branch-work|one-writer|engine\/properties|grammar\/noise|render\/limits/;

/** Most of their time they wait for a platform's pace, a lease or a limit, and leave the processor to others. */
const waiting =
  /test\/(chaos|faults|telegram|slack|dispatch\/(queue|lease))\/|e2e\/(slack|telegram|worker|standby|one-conversation|asking|terminal)|one-writer/;

/**
 * What one process can run file after file, which spares the loading: nothing in them changes what is the process's own,
 * and no module that they share has a hook at its top, for it would be called for the first file alone.
 */
const shared = [
  'test/engine/**/*.test.ts',
  'test/bot/{,commands/,delivery/,grammar/,inbound/,views/}*.test.ts',
  'test/conformance/*.test.ts',
  'test/base/{logging,redaction}/*.test.ts',
  'test/base/batcher.test.ts',
  'test/store/*.test.ts',
  'test/dispatch/{exports,remote,tracing,webhooks}/*.test.ts',
  'test/agents/executor-env.test.ts',
  'test/worker/permission.test.ts',
  'test/dispatch/{attempt-events,attempt-job,bound-threads,checkouts,dispatcher,flush,heartbeat}.test.ts',
  'test/dispatch/{needs,outage,purse,quiet-hours,rest,room,room-safety,run-cache,status}.test.ts',
  'test/dispatch/{wants,workflows}.test.ts',
  'test/bot/channels/{slack,telegram}/{outbound,render}/*.test.ts',
  'test/web/{,api/}*.test.ts',
  'test/attacks/{entrance,index,parsers}.test.ts',
];

/** They run against src with the code of docs/extending.md applied. */
const extended = [
  'test/extending/*.test.ts',
  'test/e2e/new-verb.test.ts',
  'test/agents/echo-agent.test.ts',
  'test/bot/channels/echo/echo.test.ts',
];

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification) => slow.test(moduleId);
    const slowFirst = [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
    const whole = slowFirst.filter(({ project }) => project.name !== 'shared');
    // Together, for a process is kept only while the next file may have it too.
    const last = slowFirst.filter(({ project }) => project.name === 'shared');
    return [...mixed(whole.filter(isSlow)), ...whole.filter((file) => !isSlow(file)), ...last];
  }
}

/** What waits and what computes by turns, so that the processor always has something to do and never too much. */
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

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'alone',
          include: ['test/**/*.test.ts'],
          exclude: ['test/long/**', '**/node_modules/**', ...shared, ...extended],
        },
      },
      { extends: true, test: { name: 'shared', include: shared, isolate: false } },
      { extends: true, plugins: [pageChanges()], test: { name: 'extended', include: extended } },
    ],
    globalSetup: ['test/folder.ts'],
    setupFiles: ['test/setup.ts'],
    // A machine of CI may be several times slower than a developer's; a limit only ends what hangs.
    testTimeout: ci ? 60_000 : 20_000,
    hookTimeout: ci ? 90_000 : 30_000,
    // .ci/run lists every test that needed its second try: it is flaky, which is a defect.
    retry: ci ? 1 : 0,
    // As long as a busy machine may need; the time limit of its test ends a look that lasts.
    expect: { poll: { timeout: ci ? 45_000 : 15_000 } },
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
