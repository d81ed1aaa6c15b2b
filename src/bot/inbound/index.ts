export { chunksOf, type Download, explainedBy, maxFileBytes } from './fetch-files.js';
export { InboundLine, type InboundLineParts, type RecentMessages } from './inbound-line.js';
export { RateLimit, type RateVerdict } from './rate-limit.js';
export { cannotFollow, codeText, editedText, pressedTooFast, strangerText, tooFast } from './short-answers.js';
export { isOfDisk } from './thread-lane.js';
