export type * from './definition.js';
export { definitions } from './definitions.js';
export { type Expression, type Facts, holds, judge } from './expressions/expression.js';
export { mayShare } from './lint/lint-waves.js';
export { type Loaded, loadWorkflow, type Source } from './load.js';
export {
  asksPerson,
  bodyOf,
  hasBody,
  innerNodes,
  isDecided,
  judgesFiles,
  nodeKinds,
  runsAgent,
  runsJob,
  walkedSteps,
} from './node-kinds.js';
export { describeWorkflow, noteOf } from './pictures/describe.js';
export { toMermaid } from './pictures/mermaid.js';
export { readSnapshot } from './read/defaults.js';
export type { ReadPrompt } from './read/read-prompts.js';
export { insertsOf, routesOf } from './routes.js';
export { formatProblem, type Problem } from './source/problem.js';
export { applyStepRules } from './step-rules.js';
export { didYouMean, nearestWord, wordDistance } from './vocabulary/nearest.js';
export { whyInvalidCall } from './vocabulary/skill-call.js';
export { testFormats } from './vocabulary/vocabulary.js';
