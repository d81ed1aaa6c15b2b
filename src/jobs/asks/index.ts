// A separate entry: `bosun mcp` loads nothing else.
export {
  type AskingBosun,
  type AskKeys,
  askingBosun,
  askKeys,
  type BosunAnswer,
  endNow,
  type HeardWords,
  type Patience,
  tellAnswer,
  type Unreachable,
  whyDenied,
} from './ask-bosun.js';
export { type AgentFiles, type FileAccess, type FileTool, type FileToolResult, fileTools } from './own-files.js';
