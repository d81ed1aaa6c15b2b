import type { LogLine } from './log-file.js';

export type LogKind = 'command' | 'edit' | 'look' | 'message' | 'note' | 'error';

export interface LogEntry {
  readonly kind: LogKind;
  /** The first line is the command. */
  readonly lines: readonly LogLine[];
}

export const logFilters = {
  commands: 'Commands',
  edits: 'Edits',
  messages: 'Messages',
  errors: 'Errors',
} as const;

export type LogFilter = keyof typeof logFilters | '';

const failure = /\b(?:error|fatal|exception|traceback|panic(?:ked)?|failed|unauthori[sz]ed)\b/i;

/** Programs word failures in many ways. */
export function isFailure({ source, text }: Pick<LogLine, 'source' | 'text'>): boolean {
  if (source === 'err') return true;
  const isPrinted = source === 'out' || source === 'tool';
  return isPrinted && failure.test(text) && !/\b0 (?:errors?|failed)\b/i.test(text) && !isCommand(text);
}

const tool = /^\[tool\] (\S+)/;
const shells = new Set(['bash', 'shell', 'sh', 'exec', 'terminal', 'run']);
const editors = new Set([
  'edit',
  'write',
  'multiedit',
  'notebookedit',
  'patch',
  'apply_patch',
  'delete',
  'move',
  'str_replace',
]);

/** Null: no command. */
export function commandIn(text: string): string | null {
  if (text.startsWith('$ ')) return text.slice(2);
  const name = tool.exec(text)?.[1] ?? '';
  return shells.has(name.toLowerCase()) ? text.slice('[tool] '.length + name.length).trim() : null;
}

const isCommand = (text: string) => commandIn(text) !== null;

function kindOf(line: LogLine): LogKind {
  const { source, text } = line;
  if (isCommand(text) && (source === 'sys' || text.startsWith('[tool]'))) return 'command';
  if (/^\[(?:failed|error|refused)\]|^\[tool\] (?:failed:|refused)/.test(text)) return 'error';
  if (isFailure(line)) return 'error';
  const name = tool.exec(text)?.[1];
  if (name !== undefined) return editors.has(name.toLowerCase()) ? 'edit' : 'look';
  if (source === 'sys' || source === 'team' || /^\[[a-z]+\] /.test(text)) return 'note';
  return 'message';
}

/** A check's output lasts until Bosun's next line; an agent's log marks a command's output. */
export function entriesOf(lines: readonly LogLine[]): readonly LogEntry[] {
  const entries: { kind: LogKind; lines: LogLine[] }[] = [];
  let isCheck = false;
  for (const line of lines) {
    const last = entries.at(-1);
    const isSys = line.source === 'sys';
    const isOutput = line.source === 'tool' || (isCheck && !isSys && !tool.test(line.text));
    if (isOutput && last?.kind === 'command') {
      last.lines.push(line);
      continue;
    }
    const kind = kindOf(line);
    isCheck = isSys && kind === 'command';
    if (kind === 'look' && last?.kind === 'look') last.lines.push(line);
    else entries.push({ kind, lines: [line] });
  }
  return entries;
}

/** Errors are single lines, wherever they stand. */
export function filtered(entries: readonly LogEntry[], only: LogFilter): readonly LogEntry[] {
  switch (only) {
    case '':
      return entries;
    case 'errors':
      return entries.flatMap(({ kind, lines }) =>
        lines
          .filter((line) => isFailure(line) || kind === 'error')
          .map((line): LogEntry => ({ kind: 'error', lines: [line] })),
      );
    case 'commands':
      return entries.filter(({ kind }) => kind === 'command');
    case 'edits':
      return entries.filter(({ kind }) => kind === 'edit');
    case 'messages':
      return entries.filter(({ kind }) => kind === 'message');
  }
}

/** A command stays above its output. */
export function found(entries: readonly LogEntry[], words: string): readonly LogEntry[] {
  if (words === '') return entries;
  const has = ({ text }: LogLine) => text.toLowerCase().includes(words);
  return entries.flatMap(({ kind, lines }) => {
    const [head, ...rest] = lines;
    const hits = kind === 'command' && head !== undefined ? [head, ...rest.filter(has)] : lines.filter(has);
    return hits.some(has) ? [{ kind, lines: hits }] : [];
  });
}
