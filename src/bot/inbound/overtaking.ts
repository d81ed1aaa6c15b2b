// Decides which rows may overtake one that waits for the disk, and which of the overtaken ones are withheld.

import type { ProjectConfig } from '../../config/index.js';
import type { InboxRow } from '../../store/index.js';
import type { News } from '../commands/plan-report.js';
import { type Parsed, understand } from '../grammar/index.js';
import { isReading } from './verb-effects.js';

type Projects = readonly ProjectConfig[];

/** Presses, stop commands and reads may overtake. */
export function mayPass(row: InboxRow, ahead: InboxRow, projects: Projects): boolean {
  if (row.body.type === 'press') return messageOf(row) !== messageOf(ahead);
  const parsed = parsedOf(row, projects);
  if (parsed === null || !(parsed.verb === 'stop' || isReading(parsed.verb))) return false;
  // An unnamed project may depend on the `use` ahead.
  const isNamed = parsed.project !== null || (row.body.type === 'text' && row.body.replyTo !== null);
  return isNamed || parsedOf(ahead, projects)?.verb !== 'use';
}

/** Whether a later `stop` covers what this row would begin. */
export function isWithheldBy(stop: InboxRow, ahead: InboxRow, projects: Projects): boolean {
  const stopping = parsedOf(stop, projects);
  if (stopping?.verb !== 'stop') return false;
  if (ahead.body.type === 'press') return true;
  const parsed = parsedOf(ahead, projects);
  if (parsed === null || parsed.verb === null || parsed.verb === 'stop' || isReading(parsed.verb)) return false;
  if (settings.has(parsed.verb)) return false;
  const names = [stopping.project, parsed.project];
  return names.includes('all') || names.includes(null) || names[0] === names[1];
}

const settings: ReadonlySet<string> = new Set(['use', 'quiet', 'verbose']);

/** Replaces the row with a notice that it was not done. */
export function withheld(row: InboxRow): InboxRow {
  const said = row.body.type === 'text' ? `"${row.body.text.slice(0, 100)}"` : 'what you pressed before';
  const news = `Not done, because you said stop after it: ${said}. Say it again if you want it.`;
  const args: News = { news, threads: [row.thread], card: null, rings: false };
  return { ...row, body: { type: 'command', name: 'told', args } };
}

function parsedOf({ body }: InboxRow, projects: Projects): Parsed | null {
  return body.type === 'text' ? understand(body.text, projects) : null;
}

/** Presses on one message keep their order, so that its buttons never race. */
function messageOf({ body }: InboxRow): string | null {
  return body.type === 'press' ? (body.press.split('.')[0] ?? null) : null;
}
