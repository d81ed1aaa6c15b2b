export type { Rooms, Shell } from './command-context.js';
export { processShell, runCli } from './run-cli.js';
