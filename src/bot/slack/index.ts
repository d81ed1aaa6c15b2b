export { startSlack } from './channel.js';
