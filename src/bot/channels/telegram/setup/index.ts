// Setup of Telegram, separate so that it does not load what running it needs.
export { connectTelegram } from './connect.js';
export { checkTelegram } from './doctor.js';
