export { openChat } from './chat.js';
export { Conversation, type Entered } from './conversation.js';
export { Display } from './display.js';
export { isTerminal, openScreen, paintFor } from './screen.js';
