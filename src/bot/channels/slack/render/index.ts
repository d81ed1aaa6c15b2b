export type { Block } from './blocks.js';

export { type TextModal, textAction, textBlock, textCallback, textModal } from './modal.js';

export { type RenderedSlackFile, type RenderedSlackMessage, renderView, type SlackPart } from './render.js';
