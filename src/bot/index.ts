export type { WebhookReceiver, WebhookReceivers } from './channels/channel.js';
export { Channels } from './channels/connected-channels.js';
export type { VerbRegistry } from './commands/message-context.js';
export { type FailedDeliveryJson, failedDeliveries, failedLine } from './commands/reading/failed-deliveries.js';
export { statusText, stepLines, storyLines, summaryOfRun } from './commands/reading/reads.js';
export { ownVerbs } from './commands/verb-handlers.js';
export * from './grammar/index.js';
export { type HandledMessage, type InboundMessage, type InboxService, inboxService } from './inbound/inbox-service.js';
export { prepareMessage } from './inbound/prepare-message.js';
export { hookSource } from './requests/agent-hook.js';
export { type MessageJson, messageJson } from './requests/message-json.js';
export { perform } from './requests/perform-request.js';
export { type Request, type RequestResult, requestSchema } from './requests/request.js';
export type { BotServices } from './services.js';

export { costText } from './views/costs.js';
export { eventLine, recordLine } from './views/history.js';
export { present } from './views/presenter.js';
export { costSaid, joinedLines } from './views/view.js';
