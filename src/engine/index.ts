export { isVotedOn, votesFor } from './approval.js';
export { currentNode, emptyChain, namedNode } from './chain.js';
export type { AgentAnswer, Decision, Effect, Notice, Record, RecordAction, Reply } from './effect.js';
export * from './envelope.js';
export type { Event, EventType, NewItem, ReportedTry, RunCreated } from './event.js';
export { mayHaveChanged } from './finish.js';
export { type Applied, apply, emptyWorld, fold, type World } from './fold.js';
export { isFused } from './fuse.js';
export { ownerOf } from './globs.js';
export { latestEvidence, settledAttempts } from './latest-evidence.js';
export { readItem, sideBySide } from './loop.js';
export * from './model.js';
export { type Bill, isCostKnown, owed } from './pay.js';
export { renderMemberPrompt, renderPrompt, renderResumePrompt, templateValues } from './prompt.js';
export { areLimitsCurrent, type Configured, knowsBases, limitsOf } from './purse.js';
export { type Recalls, recallsOf } from './recall.js';
export * from './report/index.js';
export { readSkipReason, type SkipReason, skipText } from './skip.js';
export {
  type Artifact,
  type ArtifactResults,
  artifactOfResult,
  artifactsToRead,
  type ProjectState,
  type ResultFile,
  readPhase,
  readProjectState,
  resultFiles,
  type Survey,
} from './survey.js';
export type { FoundChain, FoundStep, FoundStory, Resume, SettledFile, Takeover } from './takeover-data.js';
export { dispatchMode, teamTurns } from './team.js';
export { fill } from './template.js';
export { isRunOver } from './transition.js';
export * from './workflow/index.js';
