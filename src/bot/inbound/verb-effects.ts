// Classifies verbs and presses for the inbound side: those that only read, and those that only stop things.
import type { ProjectConfig } from '../../config/index.js';
import type { MessageReader } from '../../store/index.js';
import { type Parsed, understand } from '../grammar/index.js';

const reading: ReadonlySet<Parsed['verb']> = new Set<Parsed['verb']>([
  ...(['status', 'projects', 'inbox', 'stories', 'steps', 'history'] as const),
  ...(['log', 'diff', 'cost', 'why', 'whoami', 'help'] as const),
]);

export function isReading(verb: Parsed['verb']): boolean {
  return reading.has(verb);
}

/**
 * Stop commands, like stopping presses, are exempt from the rate limit. `abort` asks for confirmation, so it can wait.
 */
export function isStopping(text: string, projects: readonly ProjectConfig[]): boolean {
  return understand(text, projects).verb === 'stop';
}

const takingAway: ReadonlySet<string> = new Set(['stop', 'abort', 'deny', 'reject', 'cancel', 'end', 'no']);

export function isStoppingPress(press: string, reader: MessageReader, projects: readonly ProjectConfig[]): boolean {
  const [id = '', ...rest] = press.split('.');
  const option = rest.join('.');
  if (id.startsWith('i')) return takingAway.has(option);
  const says = reader.message(id)?.view.offers[Number.parseInt(option, 10)] ?? '';
  const [action, , answer = ''] = says.split(' ');
  if (action === '@answer') return takingAway.has(answer);
  return action === '@kill' || (!says.startsWith('@') && isStopping(says, projects));
}
