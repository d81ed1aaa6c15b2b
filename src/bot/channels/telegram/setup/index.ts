// What setting Telegram up takes, without what running it takes.
export { checkToken, type TokenCheck } from './check-token.js';
