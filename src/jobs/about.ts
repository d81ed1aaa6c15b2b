// What a line of the log is about, where it tells of an attempt at work or of a message on its way.

import type { LogFields } from '../base/index.js';
import type { AttemptSpec } from './attempt-spec.js';

export function aboutAttempt({ project, run, item, node, attempt }: AttemptSpec): LogFields {
  return { project, run, ...(item !== '' && { item, story: item }), node, attempt };
}
