export { fitBars } from './bar.js';
export { safeFileName } from './file-name.js';
export { cutUnits, graphemesFit } from './graphemes.js';
export { askingKinds, headedKinds } from './kinds.js';
export { shortLabel } from './label.js';
export { partsOf, type Runs, textOf } from './parts.js';
export { type Run, runsOf } from './runs.js';
export { isVisible, tidy, wellFormed } from './tidy.js';
export { type Document, documentOf, headOf } from './whole.js';
