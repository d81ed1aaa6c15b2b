// State of other orchestrators: one module reads each format, all of them to one result.
export {
  type ForeignState,
  findForeignState,
  settleFiles,
  storiesBeside,
  workflowOfFormat,
  workflowOfStateIn,
} from './find.js';
export { keysBesideStories, readPrd, unusedKeys } from './read-prd.js';
export { isWorkflowState, readWorkflowState } from './read-workflow-state.js';
