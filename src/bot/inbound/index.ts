// What every chat platform's inbound side shares; nothing here knows a platform.

export { isOfDisk } from './disk-errors.js';
export { chunksOf, type Download, explainedBy, maxFileBytes } from './fetch-files.js';
export { InboundLine, type InboundLineParts } from './inbound-line.js';
export { lostReplyText, standsAlone } from './lost-reply.js';
export { RateLimit, type RateVerdict } from './rate-limit.js';
export { RecentMessages } from './recent-messages.js';
export { isReading, isStopping, isStoppingPress } from './verb-effects.js';
