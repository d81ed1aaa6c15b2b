// Who works side by side on one step, and from which size of a story on.
import type { Team, TeamRole } from '../definition.js';
import { fields, listOf, mapOf, type Read, take, text, word } from './value-readers.js';

const usualMode: Team['mode'] = { S: 'single', M: 'auto', L: 'team' };
const modes = word(['single', 'auto', 'team']);

/** `{story}` is the item's whole key, so that a prefix before it is already part of it. */
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

/** One word stands for stories of every size. */
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
