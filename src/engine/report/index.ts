export { grepBody } from './claim.js';
export * from './edit-ops.js';
export { parseEvidence } from './evidence/evidence.js';
export * from './output.js';
export * from './status-words.js';
export * from './stories.js';
