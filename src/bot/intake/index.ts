// What every chat platform's intake has in common; nothing here knows a platform.

export { type Download, maxFileBytes } from './fetching.js';
export { chunksOf, explainedBy } from './fetching-bytes.js';
export { Lately } from './lately.js';
export { Line, type LineParts } from './line.js';
export { lostReplyText, standsAlone } from './lost-reply.js';
export { isOfDisk } from './of-disk.js';
export { Rate, type Verdict } from './rate.js';
export { isReading } from './reading.js';
export { isStopping, isStoppingPress } from './urgent.js';
