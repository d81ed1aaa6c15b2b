export {
  BosunError,
  drawSecret,
  type ErrorCode,
  hashOf,
  isSameSecret,
  openWithin,
  pause,
  writeOwnFile,
} from '../base/index.js';
export { redactor } from '../base/redaction/index.js';
export * from '../config/index.js';
export {
  checkWorkflow,
  findWorkflow,
  homeRedaction,
  listWorkflows,
  type Redaction,
  type Snapshot,
  takeSnapshot,
  type Where,
} from '../config/index.js';
export {
  acceptRules,
  changedNames,
  type ProjectRules,
  projectRules,
  rulesDiff,
} from '../config/project-rules/index.js';
export { aboutAttempt } from '../jobs/index.js';
export { homeDisk, lookAtRedis, type RedisLook, type SeenWorker } from '../queue/index.js';
export * from '../store/index.js';
export { laneOf } from '../store/index.js';
export { type RemoteWorker, startRemoteWorker } from '../worker/index.js';
export { type ChosenHome, redisFor, whichHome, workerConfig } from '../worker/remote/index.js';
export type { AgentAsk, Asking, Heard } from './asks.js';
export { findLog, type LogPlace } from './attempt-logs.js';
export { boundThreads, directThread, followersOf, ownersThreads, threadBeside } from './bound-threads.js';
export type { CommitListener, Committed } from './committed.js';
export { type Cost, type Costs, costsOf, type ItemCosts, type RunCosts } from './costs.js';
export {
  initialState,
  type PipelineStory,
  pipelineOf,
  prdFile,
  type SessionFile,
  type StateFile,
  sessionOf,
  stateFile,
  storiesOf,
  withPassing,
  workflowStateOf,
} from './exports/index.js';
export { type Health, healthOf } from './health.js';
export { askIntent } from './intent-program.js';
export { endReplicationOf, type Lease, lookAtLease, type Replication, replicate, takeLease } from './lease/index.js';
export { aboutMessage } from './log/about-message.js';
export { logCommitted } from './log/commit-lines.js';
export { makeProject, placeOfNewProject } from './make-project.js';
export { openRoom } from './open-room.js';
export { claimedJob } from './outside.js';
export { endOwnLeft } from './own-left.js';
export type { Now, Origin, Plan, Submitted, Work } from './plan.js';
export type { Circle, Present, Stall, Told, Working } from './presenter.js';
export type { QueuedWork, QueuePart, QueueView, WaitingGroup } from './queue-view.js';
export { redisQueue } from './redis-queue.js';
export type { Room } from './room.js';
export { diffOfRun, itemMeant } from './run-diff.js';
export type { Sign } from './sign.js';
export {
  type InteractionJson,
  interactionJson,
  type NodeJson,
  nodesJson,
  type ProjectStatus,
  projectStatus,
  runJson,
  shownRun,
} from './status.js';
export * from './takeover/index.js';
export { isSilent, isTaking, lackingOf, type Watch, type WorkerSign } from './worker-sign.js';
