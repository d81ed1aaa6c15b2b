export { startWeb, type Web, type WebOptions } from './start-web.js';
