export type { InlineButton, Keyboard } from './keyboard.js';

export { type Part, type Rendered, renderView } from './render.js';
