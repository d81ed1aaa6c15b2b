import { isAbsolute, relative } from 'node:path';
import { type Json, textAt } from './foreign-json.js';

const maxChars = 120;
const maxScannedChars = 4000;

/** Control and bidi characters could move the cursor or reverse text. */
export function fewWords(text: string, limitChars = maxChars): string {
  const line = text
    .slice(0, maxScannedChars)
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
    .trim();
  const chars = [...line];
  return chars.length <= limitChars ? line : `${chars.slice(0, limitChars - 1).join('')}…`;
}

/** `Bash: npm test`, `Edit src/cart.js`. */
export function actionWords(tool: string, input: Json | null, workdir: string): string {
  const name = tool.startsWith('mcp__') ? tool.slice('mcp__'.length).replace('__', ' ') : tool;
  const command = textAt(input, 'command') ?? textAt(input, 'cmd');
  if (command !== null) return fewWords(`${name}: ${command}`);
  const path = textAt(input, 'file_path') ?? textAt(input, 'filePath') ?? textAt(input, 'path');
  if (path !== null) return fewWords(`${name} ${within(workdir, path)}`);
  const what = ['pattern', 'query', 'url', 'question', 'description', 'text', 'message'].flatMap(
    (key) => textAt(input, key) ?? [],
  );
  return fewWords(what[0] === undefined ? name : `${name}: ${what[0]}`);
}

export function within(workdir: string, path: string): string {
  if (!isAbsolute(path)) return path;
  const own = relative(workdir, path);
  return own === '' || own.startsWith('..') ? path : own;
}
