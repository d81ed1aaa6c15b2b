export type * from './definition.js';
export { describeWorkflow } from './describe.js';
export { type Loaded, loadWorkflow, type Source } from './load.js';
export { toMermaid } from './mermaid.js';
export { didYouMean, wordDistance } from './nearest.js';
export { formatProblem, type Problem } from './problem.js';
export type { ReadPrompt } from './prompts.js';
export { applyStepRules } from './step-rules.js';
