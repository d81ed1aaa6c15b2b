export type { Health, IntakeParts, SlackIntake } from './inbound-parts.js';
export { type IntakeSurroundings, openIntake } from './open-inbound.js';
export type { Me } from './read/read-context.js';
export { continuePress } from './read/read-press.js';
