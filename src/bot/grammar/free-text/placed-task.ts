// "fix the login bug in shop", "in shop, fix the login bug". Only offered.
import { withoutQuotes } from '../clauses.js';
import type { ProjectName } from '../parsed.js';
import { afterLead, isTalk, namesOf, taskVerb } from './instruction.js';

export interface PlacedTask {
  readonly projects: readonly string[];
  readonly task: string;
}

const maxLength = 300;
const politePattern =
  /^(?:(?:can|could|would|will) (?:you|u)(?: please| pls)?|(?:i|we)(?:'d like| would like| want| need) you to|let's|let us|(?:i|we) (?:need|want) to|(?:you|we) should)\s+/i;
const endPattern = /(?:[\s,]*(?:please|pls|plz|now|thanks|thank you|thx|asap))*[\s.!?…]*$/i;
const placeAtEnd = /\s(?:in|into|to|on|for|of) (?:the )?(?:project )?([\p{L}\p{N}_-]+)(?: project)?$/iu;
const placeAtStart = /^(?:in|for|on) (?:the )?(?:project )?([\p{L}\p{N}_-]+)(?: project)?(\s*[,:–—-]\s*|\s+)/iu;
const nameAtStart = /^([\p{L}\p{N}_-]+)(\s*,\s*)/u;

export function readPlacedTask(text: string, names: readonly ProjectName[]): PlacedTask | null {
  const body = text.trim();
  if (body.length > maxLength || /[\n`]/.test(body) || body.endsWith('??')) return null;
  // The same length, so indexes hold in both.
  const spoken = withoutQuotes(body).replaceAll('’', "'");
  if (spoken.startsWith('\u0001')) return null;
  const polite = afterPoliteness(spoken);
  if (/[?？]/.test(polite) && polite.length === afterLead(spoken).length) return null;
  const said = polite.replace(endPattern, '');
  const from = spoken.length - polite.length;
  const whole = body.slice(from, from + said.length);
  if (isTalk(said)) return null;
  return atStart(said, whole, names) ?? atEnd(said, whole, names);
}

function afterPoliteness(spoken: string): string {
  return afterLead(afterLead(spoken).replace(politePattern, ''));
}

function atEnd(said: string, whole: string, names: readonly ProjectName[]): PlacedTask | null {
  const found = placeAtEnd.exec(said);
  const projects = namesOf(found?.[1] ?? '', names);
  if (found === null || projects.length === 0) return null;
  const task = whole.slice(0, found.index).trim();
  return taskVerb.test(task) ? { projects, task } : null;
}

/** After "in shop," any words; without the comma they must ask for work. */
function atStart(said: string, whole: string, names: readonly ProjectName[]): PlacedTask | null {
  const found = placeAtStart.exec(said) ?? nameAtStart.exec(said);
  const [all = '', word = '', end = ''] = found ?? [];
  const projects = namesOf(word, names);
  if (projects.length === 0) return null;
  const rest = whole
    .slice(all.length)
    .replace(/^(?:please|do)\s+/i, '')
    .trim();
  const isMarked = end.trim() !== '' && rest.split(/\s+/).length > 1;
  return isMarked || taskVerb.test(rest) ? { projects, task: rest } : null;
}
