export { openChat } from './chat.js';
export { Conversation, type Entered } from './conversation.js';
export { Display } from './display.js';
export { paintFor } from './paint.js';
export { isTerminal, openScreen } from './screen.js';
