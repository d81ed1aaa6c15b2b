export type { InlineButton, Keyboard } from './keyboard.js';
export { type EditOptions, editOptions, type SendOptions, sendOptions } from './options.js';
export { type Part, type Rendered, renderView } from './render.js';
