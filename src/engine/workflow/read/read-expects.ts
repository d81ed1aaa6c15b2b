// What a report must hold, and which tests must have been run.
import type { Expects, TestCommand } from '../definition.js';
import { testFormats } from '../vocabulary/vocabulary.js';
import { complain, fields, flag, isTrue, listOf, named, type Read, take, text, word } from './value-readers.js';

export const outputKey: Read<string> = (reading, value, path) => {
  const key = text(reading, value, path)?.trim();
  if (key === undefined || /^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(key)) return key?.toUpperCase();
  return complain(reading, value.at, `${named(path)} must list keys such as PLAN_FILE, not a text`);
};

const lowerText: Read<string> = (reading, value, path) => text(reading, value, path)?.trim().toLowerCase();

export const expects: Read<Expects> = (reading, value, path) => {
  const found = fields(reading, value, 'expects', path);
  return {
    status: take(reading, found, 'status', listOf(lowerText), path) ?? null,
    keys: take(reading, found, 'keys', listOf(outputKey), path) ?? [],
    items: take(reading, found, 'items', word(['required', 'none', 'any']), path) ?? 'any',
    red: take(reading, found, 'red', flag, path) ?? false,
    ...(take(reading, found, 'changes', flag, path) === true && { changes: true }),
  };
};

export const tests: Read<'project' | TestCommand | null> = (reading, value, path) => {
  if (isTrue(value)) return 'project';
  if (value.type === 'scalar' && (value.value === false || value.value === null)) return null;
  if (value.type === 'scalar') {
    const said = text(reading, value, path) as string;
    return said === 'project' ? 'project' : { run: said, format: 'auto' };
  }
  const found = fields(reading, value, 'tests', path);
  const run = found.get('run');
  if (!run) return complain(reading, value.at, `${named(path)} has no "run"`);
  const format = found.get('format');
  const none = take(reading, found, 'allow_none', flag, path) === true ? ({ allowNone: true } as const) : {};
  const line = text(reading, run.value, path);
  const kind = format ? word(testFormats)(reading, format.value, [...path, 'format']) : 'auto';
  return line === undefined || kind === undefined ? undefined : { run: line, format: kind, ...none };
};
