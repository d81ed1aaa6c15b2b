import type { Evidence, Gate, Insert } from '../definition.js';
import type { Expression } from '../expressions/expression.js';
import { insertion, rawCarry } from './read-route.js';
import { complain, fields, listOf, named, type Read, type ReadState, take, text } from './value-readers.js';

export type GatePatch = { -readonly [Key in keyof Gate]?: Gate[Key] };

export const surveyWord = 'survey';

/** One file puts its names at the top; several have a name each. */
export const evidence: Read<readonly Evidence[]> = (reading, value, path) => {
  const written = listOf(evidenceFile)(reading, value, path);
  const names = new Map<string, string>();
  for (const one of written) {
    const as = nameOf(one);
    const other = names.get(as);
    if (other !== undefined && written.length > 1) {
      complain(reading, reading.places.at([...path, one]), `"${other}" and "${one}" would both have the name "${as}"`);
    }
    names.set(as, one);
  }
  return written.map((one) => ({
    file: fileOf(one),
    as: written.length === 1 ? '' : nameOf(one),
    isOptional: one.endsWith('?'),
  }));
};

/** `on: {fix, escalate, pass}`. */
export const gateRoutes: Read<GatePatch> = (reading, value, path) => {
  const found = fields(reading, value, 'on', path);
  const onFail = take(reading, found, 'fix', insertion(rawCarry), path);
  const onEscalate = take(reading, found, 'escalate', insertion(rawCarry), path);
  const say = take(reading, found, 'pass', pass, path);
  return { ...(onFail ? { onFail } : {}), ...(onEscalate ? { onEscalate } : {}), ...(say ? { say } : {}) };
};

const unnamed: Insert = { type: 'insert', fragment: '', args: [], carry: {}, say: null };
const nothing: Expression = { text: '', term: { type: 'value', value: false } };

export function finishGate(reading: ReadState, id: string, patch: GatePatch): Gate {
  const { evidence, failWhen, onFail } = patch;
  const missing = [
    ...(evidence?.length ? [] : ['lacks its evidence: "evidence: result.json"']),
    ...(failWhen ? [] : ['lacks its condition: "fail_when: passed != true"']),
    ...(onFail ? [] : ['lacks the work to add when it fails: "on: {fix: {insert: the-name-of-a-fragment}}"']),
  ];
  for (const one of missing) complain(reading, reading.places.at([id]), `the decision "${id}" ${one}`);
  // Placeholders, so that one pass reports the other problems too.
  const inserts = onFail ?? patch.onEscalate ?? unnamed;
  const filled = { evidence: evidence ?? [], failWhen: failWhen ?? nothing, onFail: inserts };
  return { maxRetries: null, onEscalate: null, say: null, ...patch, ...filled };
}

const evidenceFile: Read<string> = (reading, value, path) => {
  const written = text(reading, value, path)?.trim();
  if (written === undefined) return undefined;
  const parts = fileOf(written).split('/');
  if (!parts.includes('') && !parts.includes('..')) return written;
  return complain(reading, value.at, `${named(path)} must be the path of a file inside the working folder`);
};

const pass: Read<string> = (reading, value, path) =>
  take(reading, fields(reading, value, 'pass', path), 'say', text, path);

function fileOf(written: string): string {
  return written.replace(/\?$/, '');
}

/** `.tests/test-results.json` → test_results. */
function nameOf(written: string): string {
  const base = String(fileOf(written).split('/').at(-1));
  return base.replace(/(?<=.)\.[^.]*$/, '').replace(/[-.]/g, '_');
}
