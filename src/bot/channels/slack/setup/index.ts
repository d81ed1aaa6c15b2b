export { connectSlack } from './connect.js';
export { checkSlack } from './doctor.js';
