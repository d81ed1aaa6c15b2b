// Work on a machine that has not the home's disk.
export { keepHouse } from './housekeeping.js';
export { endLeftBehind, type Underway, underway } from './left-behind.js';
export { redisFor, workerConfig } from './own-config.js';
export { openRelay, type Relay } from './relay.js';
export { type ElsewhereParts, elsewhereRunner } from './runner.js';
export { type ChosenHome, whichHome } from './which-home.js';
