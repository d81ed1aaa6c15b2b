// Words of the wider vocabulary that this version does not run. A word that works now leaves this file.
import type { Shape } from './vocabulary.js';

const laterKeys: Record<Shape, readonly string[]> = {
  workflow: [
    'fragments',
    'step_types',
    'quality_mode',
    'auto_mode',
    'reverify_after_review',
    'adopt_late',
    'notifications',
  ],
  input: [],
  role: ['access', 'reads', 'writes', 'workspace'],
  policy: ['stop_at_decisions', 'quality_mode', 'auto_mode', 'reverify_after_review', 'adopt_late'],
  limits: ['restarts', 'insertions', 'cost'],
  node: [
    'group',
    'barrier',
    'when',
    'pin',
    'team',
    'evidence',
    'fail_when',
    'on',
    'args',
    'on_answer',
    'insert_by',
    'on_item_done',
    'before',
    'after_any',
    'step_types',
    'use',
    'again',
    'access',
    'restarts',
    'adopt_late',
  ],
  route: ['insert', 'args', 'reset'],
  expects: [],
  tests: [],
};

const laterWords: Readonly<Record<string, readonly string[]>> = {
  kind: ['decision', 'system'],
  over: ['milestones', 'phases'],
  timeout: ['cancel_item', 'pause'],
  isolate: ['worktree'],
  on_exhausted: ['insert'],
};

export function isLaterKey(shape: Shape, key: string): boolean {
  return laterKeys[shape].includes(key);
}

export function isLaterWord(key: string, word: string): boolean {
  return Object.hasOwn(laterWords, key) && Boolean(laterWords[key]?.includes(word));
}

export function notYet(what: string): string {
  return `${what} is not supported yet`;
}
