// One reader per format of another orchestrator; all give the same result.
export {
  type ForeignState,
  findForeignState,
  prdBeside,
  settleFiles,
  workflowOfFormat,
  workflowOfStateIn,
} from './find.js';
export { keysBesideStories, readPrd, unusedKeys } from './read-prd.js';
export { isWorkflowState, readWorkflowState } from './read-workflow-state.js';
