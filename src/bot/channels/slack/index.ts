export { startSlack } from './start-slack.js';
