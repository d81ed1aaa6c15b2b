export { startTelegram } from './channel.js';
