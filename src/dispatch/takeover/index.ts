// Takes over the state of other orchestrators: one reader for each format, all with the same result.
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
