export { openIntake, type TelegramInboundContext } from './open-inbound.js';
export type { PollerHealth } from './poller.js';
export type { TelegramBot } from './read/update-schema.js';
export type { TelegramInboundParts, TelegramIntake } from './telegram-inbound.js';
export type { Receipt, WebhookAddress } from './webhook-registration.js';
