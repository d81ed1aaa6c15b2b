export type { Shell } from './cli.js';
export type { Rooms } from './rooms.js';
export { processShell, runCli } from './run-cli.js';
