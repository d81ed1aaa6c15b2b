export type { WebhookReceiver, WebhookReceivers } from './channels/channel.js';
export type { ChannelKind, ChannelSetup } from './channels/channel-kind.js';
export { type ConfigNotices, configNotices } from './channels/config-notices.js';
export { Channels } from './channels/connected-channels.js';
export { broken, doubtful, type Finding, fine } from './channels/finding.js';
export { channelKinds } from './channels/registry.js';
export type { Meeting, SetupDesk, SetupOptions } from './channels/setup-desk.js';
export type { VerbRegistry } from './commands/message-context.js';
export { type FailedDeliveryJson, failedDeliveries, failedLine } from './commands/reading/failed-deliveries.js';
export { stepLines, storyLines, summaryOfRun } from './commands/reading/reads.js';
export { runFactsLine, statusText } from './commands/reading/status-text.js';
export * from './grammar/index.js';
export { type HandledMessage, type InboundMessage, type InboxService, inboxService } from './inbound/inbox-service.js';
export { prepareMessage } from './inbound/prepare-message.js';
export {
  type DocumentBlock,
  type MarkedPart,
  type MarkedParts,
  markdownDocument,
} from './render/markdown/markdown-document.js';
export { markdownRuns } from './render/markdown/markdown-runs.js';
export { pictureReader } from './render/picture-file.js';
export { withoutCodes } from './render/tidy.js';
export { hookSource } from './requests/agent-hook.js';
export { type MessageJson, messageJson } from './requests/message-json.js';
export { perform } from './requests/perform-request.js';
export { type Request, type RequestResult, requestSchema } from './requests/request.js';
export type { BotServices } from './services.js';
export { markdownOf } from './views/cards.js';
export { costText } from './views/costs.js';
export { isFactsLine } from './views/facts.js';
export { eventLine, recordLine } from './views/history.js';
export { ableMembers, awaitedPeople, isHandedToOther, requiredToRemind } from './views/people/awaited.js';
export { ownersState } from './views/people/work-state.js';
export { present } from './views/presenter.js';
export { costSaid, joinedLines, personName } from './views/view.js';
export { ordinal, titleOf } from './views/work/card-text.js';
export { pullRequestOf } from './views/work/ended.js';
export { eventWords } from './views/work/event-words.js';
export { picturesOf } from './views/work/review-work.js';
export { usualLine } from './views/work/usual.js';
