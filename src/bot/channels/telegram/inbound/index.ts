export { type IntakeSurroundings, openIntake } from './open-inbound.js';
export type { Health } from './poller.js';
export type { Me } from './read/update-schema.js';
export type { IntakeParts, TelegramIntake } from './telegram-inbound.js';
export type { Receipt, WebhookAddress } from './webhook-registration.js';
