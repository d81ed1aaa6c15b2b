export type { Block } from './block.js';
export { type Home, type HomeAsk, type HomeProject, type HomeRun, renderHome } from './home.js';
export { type TextModal, textAction, textBlock, textCallback, textModal } from './modal.js';
export { postOptions, updateOptions } from './options.js';
export { renderView, type SlackFile, type SlackMessage, type SlackPart } from './render.js';
