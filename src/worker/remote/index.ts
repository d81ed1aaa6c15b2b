export { type AgentProxy, openAgentProxy } from './agent-proxy.js';
export { keepHouse } from './disk-cleanup.js';
export type { ChosenHome } from './find-home.js';
export { endOrphans, type RunningAttempts, underway } from './orphan-processes.js';
export { awayRunner, type RemoteRunnerParts, usualPush } from './remote-runner.js';
export { redisFor } from './worker-config.js';
