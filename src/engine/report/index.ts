export * from './body.js';
export * from './complexity.js';
export * from './dependencies.js';
export * from './edits.js';
export { parseEvidence } from './evidence.js';
export * from './output.js';
export * from './stories.js';
export * from './words.js';
