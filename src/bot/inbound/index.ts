// What every chat platform's intake has in common; nothing here knows a platform.

export { isOfDisk } from './disk-errors.js';
export { chunksOf, type Download, explainedBy, maxFileBytes } from './fetch-files.js';
export { Line, type LineParts } from './inbound-line.js';
export { lostReplyText, standsAlone } from './lost-reply.js';
export { Rate, type Verdict } from './rate-limit.js';
export { Lately } from './recent-messages.js';
export { isReading, isStopping, isStoppingPress } from './verb-effects.js';
