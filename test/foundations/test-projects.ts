// Which process runs which test file. Loading Bosun's modules costs a process a second, so one process runs many files;
// test/setup.ts restores the environment and the timers between them.

/** In the order in which they run. */
export const projectNames = ['alone', 'extended', 'whole', 'parts'] as const;

/**
 * Each file has a process of its own: it replaces a module, measures the memory or the event loop of its process, looks
 * for processes that others started, counts the listeners of its process, or relies on leases, which garbage of the files before it could delay.
 */
export const alone = [
  'test/agents/attempts/{attempt,deadline,end-processes,orphan-guard}.test.ts',
  'test/{chaos,crash,faults,queue}/*.test.ts',
  'test/dispatch/{one-writer,remote-worker}.test.ts',
  'test/dispatch/standby/*.test.ts',
  'test/worker/remote/*.test.ts',
  'test/workspace/{git-process,swapped-files}.test.ts',
];

/** They run against src with the code of docs/extending.md applied. */
export const extended = [
  'test/extending/*.test.ts',
  'test/e2e/new-verb.test.ts',
  'test/agents/echo-agent.test.ts',
  'test/bot/channels/echo/echo.test.ts',
];

/** Each test starts a whole Bosun, a browser or a real coding agent, and may take minutes; one process runs many files. */
export const whole = ['test/e2e/*.test.ts', 'test/web/browser/*.test.ts'];
