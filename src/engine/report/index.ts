export * from './body.js';
export * from './output.js';
export * from './stories.js';
export * from './words.js';
