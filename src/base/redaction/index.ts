export { type LineRedactor, lineRedactor } from './private-keys.js';
export { redacted } from './redact-deep.js';
export { plain, type Redact, redactor } from './redactor.js';
