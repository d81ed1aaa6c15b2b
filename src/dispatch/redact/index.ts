export { homeRedaction, type Redaction } from './home-redaction.js';
export { type LineRedactor, lineRedactor } from './private-keys.js';
export { redacted } from './redacted.js';
export { plain, type Redact, redactor } from './redactor.js';
