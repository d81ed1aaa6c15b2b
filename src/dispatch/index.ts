export { recentCommits } from '../workspace/index.js';
export {
  type AgentQuestion,
  type AgentQuestionAnswer,
  answerWithinMsOf,
  type OpenAgentQuestion,
} from './attempts/agent-questions.js';
export { findLog, type LogPlace } from './attempts/attempt-logs.js';
export { claimedJob } from './attempts/external-attempts.js';
export { placeOfChain } from './attempts/job-builder.js';
export { isSilent, isTaking, type LivenessCheck, lackingOf, type WorkerStatus } from './attempts/worker-status.js';
export { type Changes, changesOf } from './checkouts/attempt-diff.js';
export { makeProject, placeOfNewProject } from './checkouts/make-project.js';
export { runOfTrailer } from './checkouts/run-branch-operations.js';
export { diffOfRange, diffOfRun, itemMeant } from './checkouts/run-diff.js';
export { redisQueue } from './choose-queue.js';
export { logCommitted } from './commit/log-commits.js';
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
export { askIntent } from './intent-program.js';
export { openRuntime } from './open-runtime.js';
export { asideThread, isSharedThread } from './people/project-audience.js';
export { quietUntil } from './people/quiet-hours.js';
export { boundThreads, followersOf, ownersThreads, privateThreads, threadBeside } from './people/subscribers.js';
export type { Activity } from './plans/activity.js';
export type { CommitListener, Committed } from './plans/commit-listener.js';
export type { MakePlan, Origin, Plan, PlanContext, PlanEffect, Submitted } from './plans/plan.js';
export { emptyPlan, withEffects } from './plans/plan.js';
export type { NoticeContext, Presenter, ProjectAudience, RunCards, RunningContext, Stall } from './plans/presenter.js';
export type {
  AgentCalls,
  ExternalWork,
  KeptRows,
  LiveView,
  Runtime,
  RuntimeEvents,
  RuntimeParts,
  Submitter,
} from './runtime.js';
export { type Cost, type Costs, costsOf, type ItemCosts, type RunCosts } from './spending/costs.js';
export { endReplicationOf, type Lease, lookAtLease, type Replication, replicate, takeLease } from './standby/index.js';
export { endOrphans } from './standby/orphan-cleanup.js';
export { type Health, healthOf } from './status/project-health.js';
export {
  type InteractionJson,
  interactionJson,
  type NodeJson,
  nodesJson,
  type ProjectStatus,
  projectStatus,
  runJson,
  shownRun,
  statusOfRun,
} from './status/project-status.js';
export type { QueuedWork, QueuePart, QueueView, WaitingGroup } from './status/queue-view.js';
export { type QueuedTask, queuedId, queuedTasks } from './status/queued-tasks.js';
export {
  type AskedPerson,
  askedNamed,
  itemNamed,
  type NameableWork,
  type NamedState,
  nodeNamed,
  outcomeNamed,
  type StateSort,
  workNamed,
} from './status/state-names.js';
export * from './takeover/index.js';
export type { Tracing } from './tracing/start-tracing.js';
