export { statusText, stepLines, storyLines } from './desk/reads.js';
export { type FrontDoor, frontDoor, type Heard, type Said } from './front-door.js';
export * from './grammar/index.js';
export { type MessageJson, messageJson } from './message-json.js';
export { present } from './present.js';
export { type Answered, type Desk, type Request, requestSchema } from './request.js';
export { perform } from './requests.js';
export { eventLine, recordLine } from './views/history.js';
