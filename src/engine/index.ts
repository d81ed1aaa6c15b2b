export { type Bill, isCostKnown, owed } from './attempts/pay.js';
export {
  areLimitsCurrent,
  type Configured,
  isStoppedByLimit,
  knowsBases,
  limitsOf,
} from './attempts/spending-limits.js';
export { dispatchMode, teamTurns } from './attempts/team-turns.js';
export { currentNode, emptyChain, namedNode } from './chain/chain.js';
export { diffStatOf, mayHaveChanged } from './flow/finish.js';
export { readItem, sideBySide } from './flow/loops/loop.js';
export { isApproval, isVotedOn, votesFor } from './interactions/approval.js';
export { isSnoozedBy, nextNudgeAt, nextSnoozeEnd } from './interactions/attention.js';
export { recallsOf } from './interactions/recall.js';
export { byPlace, placeOf } from './model/draft/draft-order.js';
export { isRunOver } from './model/draft/transition.js';
export type { AgentAnswer, Decision, Effect, Notice, Record, RecordAction, Reply } from './model/effect.js';
export type { Event, ExecutorsTold, NewItem, ReportedTry, RunCreated } from './model/event.js';
export * from './model/model.js';
export { readSkipReason, type SkipReason, skipText } from './model/skip.js';
export type { FoundChain, FoundStep, FoundStory, Resume, SettledFile, Takeover } from './model/takeover-data.js';
export { latestEvidence, settledAttempts } from './prompts/latest-evidence.js';
export { renderMemberPrompt, renderPrompt, renderResumePrompt, templateValues } from './prompts/prompt.js';
export { apply, decideNext, emptyWorld, fold, type World } from './replay.js';
export * from './report/envelope.js';
export * from './report/index.js';
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
} from './survey/survey.js';
export { cutAtWord } from './text/cut-text.js';
export { matcher, ownerOf } from './text/globs.js';
export { fill } from './text/template.js';
export * from './workflow/index.js';
