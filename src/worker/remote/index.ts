// Work on a machine that has not the home's disk.

export { openRelay, type Relay } from './agent-proxy.js';
export { keepHouse } from './disk-cleanup.js';
export { type ChosenHome, whichHome } from './find-home.js';
export { endLeftBehind, type Underway, underway } from './orphan-processes.js';
export { type ElsewhereParts, elsewhereRunner } from './remote-runner.js';
export { redisFor, workerConfig } from './worker-config.js';
