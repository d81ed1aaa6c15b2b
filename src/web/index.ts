export { startWeb, type Web, type WebOptions } from './start.js';
