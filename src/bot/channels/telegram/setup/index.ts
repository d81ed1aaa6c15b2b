// What setting Telegram up takes, without what running it takes.
export { checkToken, type TelegramTokenCheck } from './check-token.js';
