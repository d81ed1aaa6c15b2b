/** Prefix for workers in Bosun's own process; they die with it. */
export const ownWorkerPrefix = 'local-';
