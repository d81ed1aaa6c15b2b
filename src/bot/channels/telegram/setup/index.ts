// Setup of Telegram, separate so that it does not load what running it needs.
export { checkToken, type TelegramTokenCheck } from './check-token.js';
