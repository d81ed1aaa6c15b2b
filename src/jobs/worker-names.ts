// The names of workers.

/** How workers in Bosun's own process are called: they die with it. */
export const ownWorkerPrefix = 'local-';
