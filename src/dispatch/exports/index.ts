// Writes projections of the database for other tools, each file atomically.

export { type ExportSources, exportRun, leavesNothing } from './export-run.js';
export { ExportGuard, keepCopy } from './guard/export-guard.js';
export {
  hashOfFile,
  isOwnFile,
  openExportRecord,
  readPlainFile,
  sessionIds,
  sessionsFolder,
  unwritten,
  writeExportRecord,
} from './guard/export-record.js';
export { type PipelineFile, type PipelineStory, pipelineOf, storiesOf } from './pipeline.js';
export { prdFile, withPassing } from './prd-file.js';
export type { SessionFile } from './session.js';
export { currentChainKey, initialState, type StateFile, stateFile } from './state-file.js';
export { sessionOf, workflowStateOf } from './stored.js';
