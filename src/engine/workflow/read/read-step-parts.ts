// Who must say yes to what a node asks people, and when they are told of it again.
import type { Approvals } from '../definition.js';
import { complain, count, durationMs, fields, flag, listOf, type Read, take, text } from './value-readers.js';

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
      '"escalate_to" needs "escalate_after": when those people are told, such as 8h',
    );
  }
  if (escalateTo.length === 0 && found.has('escalate_after')) {
    complain(
      reading,
      at('escalate_after'),
      '"escalate_after" needs "escalate_to": the people who are told, such as [bob]',
    );
  }
  if (escalateTo.length > maxPeople) {
    complain(reading, at('escalate_to'), `"escalate_to" names ${escalateTo.length} people; at most ${maxPeople}`);
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
  return complain(reading, value.at, `this is no name of a person: write one of config.yaml's people`);
};
