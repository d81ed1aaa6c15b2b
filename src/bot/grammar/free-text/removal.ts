// "remove task B", "cancel r7", "drop the dark theme one".
import { nameKey } from '../words.js';

export interface Removal {
  readonly said: string;
  readonly words: readonly string[];
}

const maxLength = 200;
const removal =
  /^(?:(?:please|pls)\s+)?(?:(?:can|could|would|will) (?:you|u)\s+(?:please\s+)?)?(?:abort|cancel|remove|drop|delete|dequeue|unqueue|discard|forget|scrap|take out|take|kill|stop|skip)\s+(.+?)(?:\s+(?:out of|from|off|in) (?:the )?(?:queue|line|list))?(?:[\s,]*(?:please|pls|plz|thanks|thx|out))*[\s.!?…]*$/i;
const filler = new Set([
  ...['the', 'a', 'an', 'my', 'our', 'that', 'this', 'task', 'run', 'job', 'one', 'ones', 'draft', 'queued', 'waiting'],
  ...['about', 'with', 'for', 'to', 'of', 'on', 'in', 'called', 'named', 'number', 'no', '#', 'please', 'and', 'it'],
]);

export function readRemoval(text: string): Removal | null {
  const body = text.trim().replace(/^[/!@]?bosun[\s,:]+/i, '');
  if (body.length > maxLength || /\n/.test(body)) return null;
  const said = removal.exec(body)?.[1];
  if (said === undefined || /\b(?:don't|not|never)\b/i.test(said)) return null;
  const words = (said.match(/[\p{L}\p{N}_+-]+/gu) ?? []).map(nameKey);
  return { said, words: words.filter((word) => !filler.has(word)) };
}
