export type { Block } from './blocks.js';

export { type TextModal, textAction, textBlock, textCallback, textModal } from './modal.js';

export { renderView, type SlackFile, type SlackMessage, type SlackPart } from './render.js';
