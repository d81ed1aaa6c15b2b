// One reader per format of other orchestrators, all with the same result.
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
