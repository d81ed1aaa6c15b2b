export { type WebhookParts, Webhooks } from './webhooks.js';
