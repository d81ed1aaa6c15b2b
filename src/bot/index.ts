export { beforehand } from './beforehand.js';
export type { Entrance, Entrances } from './channel.js';
export { Channels } from './channels.js';
export { type FailedDeliveryJson, failedDeliveries, failedLine } from './desk/failed-deliveries.js';
export { statusText, stepLines, storyLines, summaryOfRun } from './desk/reads.js';
export { type FrontDoor, frontDoor, type Heard, type Said } from './front-door.js';
export * from './grammar/index.js';

export { hookSource } from './hook.js';
export { type MessageJson, messageJson } from './message-json.js';
export { present } from './present.js';
export { type AgentName, type Answered, agentNames, type Request, requestSchema } from './request.js';
export { perform } from './requests.js';
export type { Desk } from './services.js';

export { cardTitles } from './views/cards.js';
export { costText } from './views/costs.js';
export { eventLine, recordLine } from './views/history.js';
export { costSaid, joinedLines } from './views/view.js';
