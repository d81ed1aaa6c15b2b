export { type Chat, type ChatIo, openChat } from './chat.js';
export type { Choice } from './choices.js';
export { Conversation, type Entered } from './conversation.js';
export { Display } from './display.js';
export { type Paint, paintFor } from './paint.js';
export { isTerminal, openScreen, type Screen } from './screen.js';
