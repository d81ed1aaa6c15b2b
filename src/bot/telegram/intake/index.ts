export type { IntakeParts, TelegramIntake } from './intake.js';
export { type IntakeSurroundings, openIntake } from './open.js';
export type { Health } from './poller.js';
export type { Receipt, WebhookAddress } from './receiver.js';
export type { Me } from './update.js';
