export type { SlackInboundHealth, SlackInboundParts, SlackIntake } from './inbound-parts.js';
export { openIntake, type SlackInboundContext } from './open-inbound.js';
export type { SlackBot } from './read/read-context.js';
export { continuePress } from './read/read-press.js';
