// Setup of Slack, separate so that it does not load what running it needs.
export { connectSlack } from './connect.js';
export { checkSlack } from './doctor.js';
