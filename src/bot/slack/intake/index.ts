export type { Me } from './around.js';
export { type IntakeSurroundings, openIntake } from './open.js';
export type { Health, IntakeParts, SlackIntake } from './parts.js';
export { continuePress } from './read-press.js';
