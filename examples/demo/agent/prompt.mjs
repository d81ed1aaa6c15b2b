// What the prompt says, of which this script understands one thing: the words of a person.
import { join } from 'node:path';
import { readText, writeText } from './workspace.mjs';

const MARK = '=== Human Instruction ===';
const MAX_PROMPT_CHARS = 1_000_000;
const MAX_WORDS_CHARS = 500;

export async function readPrompt(stream) {
  if (stream.isTTY) return '';
  let text = '';
  stream.setEncoding('utf8');
  for await (const chunk of stream) if (text.length < MAX_PROMPT_CHARS) text += chunk;
  return text;
}

/** The section of a person's words, on one line; it ends at the next `===` line or, where there is none, at a blank one. */
export function personWords(prompt) {
  const lines = prompt.split(/\r?\n/);
  const mark = lines.findIndex((line) => line.trim() === MARK);
  if (mark < 0) return null;
  const rest = lines.slice(mark + 1);
  let end = rest.findIndex((line) => line.startsWith('==='));
  if (end < 0) end = rest.findIndex((line, index) => line.trim() === '' && index > 0);
  const words = (end < 0 ? rest : rest.slice(0, end)).join(' ').replace(/\s+/g, ' ').trim();
  return words.slice(0, MAX_WORDS_CHARS) || null;
}

/**
 * A step that was killed may run again with a prompt that no longer holds what a person said: the words are kept beside
 * the run. Not for the first try of impl, where they would be taken for an answer nobody was asked for.
 */
export function recall(task, words) {
  if (!task.sharedDir || (task.step === 'impl' && task.attempt === 1)) return words;
  const file = join(task.sharedDir, 'demo-agent', `${task.name}-${task.step.replace(/[^a-z-]/g, '')}.txt`);
  if (!words) return readText(file).trim() || null;
  writeText(file, `${words}\n`);
  return words;
}

/** "30 seconds, others OK" → 30. */
export function secondsIn(text) {
  const found = /\b(\d{1,6})\s*(s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?)\b/i.exec(text ?? '');
  if (!found) return null;
  return Number(found[1]) * { s: 1, m: 60, h: 3600, d: 86_400 }[found[2][0].toLowerCase()];
}
