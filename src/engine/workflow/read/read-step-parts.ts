import type { Approvals, Expects, Team, TeamRole, TestCommand } from '../definition.js';
import { testFormats } from '../vocabulary/vocabulary.js';
import {
  complain,
  count,
  durationMs,
  fields,
  flag,
  isTrue,
  listOf,
  mapOf,
  named,
  type Read,
  take,
  text,
  word,
} from './value-readers.js';

const maxPeople = 10;

export const approvals: Read<Approvals> = (reading, value, path) => {
  const found = fields(reading, value, 'approvals', path);
  const escalateTo = take(reading, found, 'escalate_to', listOf(person), path) ?? [];
  const escalateAfterMs = take(reading, found, 'escalate_after', durationMs, path) ?? null;
  const at = (key: string) => reading.places.at([...path, key]);
  if (escalateTo.length > 0 && !found.has('escalate_after')) {
    complain(
      reading,
      at('escalate_to'),
      '"escalate_to" needs "escalate_after", the time after which Bosun notifies those people, such as 8h',
    );
  }
  if (escalateTo.length === 0 && found.has('escalate_after')) {
    complain(
      reading,
      at('escalate_after'),
      '"escalate_after" needs "escalate_to", the people whom Bosun notifies, such as [bob]',
    );
  }
  if (escalateTo.length > maxPeople) {
    complain(reading, at('escalate_to'), `"escalate_to" names ${escalateTo.length} people; the limit is ${maxPeople}`);
  }
  return {
    quorum: take(reading, found, 'quorum', count(1, 10), path) ?? 1,
    notRequester: take(reading, found, 'not_requester', flag, path) ?? false,
    remindAfterMs: take(reading, found, 'remind_after', durationMs, path) ?? null,
    escalateAfterMs,
    escalateTo: [...new Set(escalateTo)],
  };
};

const person: Read<string> = (reading, value, path) => {
  const name = text(reading, value, path)?.trim();
  if (name === undefined || /^[A-Za-z][\w.-]{0,40}$/.test(name)) return name;
  return complain(reading, value.at, `this is not the name of a person: use one from config.yaml`);
};

export const outputKey: Read<string> = (reading, value, path) => {
  const key = text(reading, value, path)?.trim();
  if (key === undefined || /^[A-Za-z][A-Za-z0-9_]{0,63}$/.test(key)) return key?.toUpperCase();
  return complain(reading, value.at, `${named(path)} must be a list of keys such as PLAN_FILE`);
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

const usualMode: Team['mode'] = { S: 'single', M: 'auto', L: 'team' };

const modes = word(['single', 'auto', 'team']);

/** `{story}` is the whole key with its prefix. */
export const filePath: Read<string> = (reading, value, path) => {
  const written = text(reading, value, path);
  return written?.replace(/(?:US-)?(?<!\{)\{story\}(?!\})/g, '{{item.key}}');
};

export const team: Read<Team> = (reading, value, path) => {
  const found = fields(reading, value, 'team', path);
  return {
    mode: take(reading, found, 'mode', mode, path) ?? usualMode,
    roles: take(reading, found, 'roles', mapOf(teamRole), path) ?? {},
  };
};

/** One word applies to all sizes. */
const mode: Read<Team['mode']> = (reading, value, path) => {
  if (value.type === 'scalar') {
    const all = modes(reading, value, path);
    return all && { S: all, M: all, L: all };
  }
  const found = fields(reading, value, 'mode', path);
  return {
    S: take(reading, found, 'S', modes, path) ?? usualMode.S,
    M: take(reading, found, 'M', modes, path) ?? usualMode.M,
    L: take(reading, found, 'L', modes, path) ?? usualMode.L,
  };
};

const teamRole: Read<TeamRole> = (reading, value, path) => {
  const found = fields(reading, value, 'team_role', path);
  return {
    reads: take(reading, found, 'reads', listOf(filePath), path) ?? [],
    writes: take(reading, found, 'writes', listOf(filePath), path) ?? [],
    prompt: take(reading, found, 'prompt', text, path) ?? null,
  };
};
