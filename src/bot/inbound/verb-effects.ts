import type { Parsed } from '../grammar/index.js';

const reading: ReadonlySet<Parsed['verb']> = new Set<Parsed['verb']>([
  ...(['status', 'projects', 'inbox', 'stories', 'steps', 'history'] as const),
  ...(['log', 'diff', 'cost', 'why', 'whoami', 'help'] as const),
]);

/** Whether a verb changes nothing, whoever says it. */
export function isReading(verb: Parsed['verb']): boolean {
  return reading.has(verb);
}
