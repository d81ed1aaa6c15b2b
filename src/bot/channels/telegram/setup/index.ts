export { connectTelegram } from './connect.js';
export { checkTelegram } from './doctor.js';
