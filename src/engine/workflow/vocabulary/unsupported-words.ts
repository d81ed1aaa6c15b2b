import type { Shape } from './vocabulary.js';

const laterKeys: Partial<Record<Shape, readonly string[]>> = {
  workflow: ['notifications'],
  role: ['reads', 'writes'],
  node: ['adopt_late'],
  route: ['reset'],
};

/** Accepted and ignored, with replacements. */
const ineffectiveKeys: Partial<Record<Shape, Readonly<Record<string, string>>>> = {
  workflow: {
    model: 'set the model of an executor in config.yaml',
    polling_timeout:
      'it limits antfarm\'s polling; set "timeoutSeconds" of an agent (without it, a step may take 30 minutes)',
  },
  role: { model: 'set the model of an executor in config.yaml' },
  workspace: {
    base_dir: 'agents work in the project',
    skills: 'install skills for the executor itself',
  },
};

const misplacedKeys: Partial<Record<Shape, Readonly<Record<string, string>>>> = {
  workflow: { step_types: 'belongs to a loop: write it beside the loop\'s "body"' },
};

const removedKeys: Partial<Record<Shape, Readonly<Record<string, string>>>> = {
  node: { group: 'use "needs" on the later nodes: a node with "needs: []" waits for no other node' },
};

const laterWords: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  kind: { system: '' },
  over: {
    milestones:
      '; a decision whose "on.fix" inserts the next milestone goes through them, as post-milestone of lifecycle does',
  },
};

export function whyNotKey(shape: Shape, key: string, written: string): string | null {
  if (laterKeys[shape]?.includes(key)) return notYet(`"${written}"`);
  const removed = removedKeys[shape] ?? {};
  if (Object.hasOwn(removed, key)) return `"${written}" was removed; ${removed[key]}`;
  const places = misplacedKeys[shape] ?? {};
  return Object.hasOwn(places, key) ? `"${written}" ${places[key]}` : null;
}

export function whyIneffective(shape: Shape, key: string): string | null {
  const keys = Object.entries(ineffectiveKeys[shape] ?? {});
  return keys.find(([name]) => name === key)?.[1] ?? null;
}

export function whyNotWord(key: string, word: string): string | null {
  const words = Object.hasOwn(laterWords, key) ? laterWords[key] : {};
  return words && Object.hasOwn(words, word) ? `${notYet(`${key}: ${word}`)}${words[word]}` : null;
}

export function notYet(what: string): string {
  return `${what} is not supported yet`;
}
