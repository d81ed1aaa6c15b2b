export type { Shell } from './command-context.js';
export type { Rooms } from './rooms.js';
export { processShell, runCli } from './run-cli.js';
