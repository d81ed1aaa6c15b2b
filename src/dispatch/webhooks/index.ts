export { usualCallTiming, type WebhookParts, Webhooks } from './webhooks.js';
