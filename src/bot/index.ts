export { type FrontDoor, frontDoor, type Heard, type Said } from './front-door.js';
export * from './grammar/index.js';
export { present } from './present.js';
export { historyLines, statusText, stepLines, storyLines, costLines } from './desk/reads.js';
export { eventLine } from './views/history.js';
export { type MessageJson, messageJson } from './message-json.js';
export { type Answered, type Desk, type Request, requestSchema } from './request.js';
export { perform } from './requests.js';
