export { startTelegram } from './start-telegram.js';
