// Free sentences that ask for work, and the talk beside them that asks for nothing.
import { describe, expect, it } from 'vitest';
import { type Instruction, parse, readInstruction } from '../../../src/bot/grammar/index.js';
import { knownNames } from './corpus.js';
import { instructions, knownSteps } from './corpus-instructions.js';
import { unclearRows } from './corpus-unclear.js';

const read = (text: string) => readInstruction(text, knownNames, () => knownSteps);

function told(found: Instruction | null): string {
  if (found === null) return '-';
  if (found.kind === 'new_project') return `new: ${found.name}`;
  const at = found.projects.map((project) => ` @${project}`).join('');
  if (found.kind === 'steps')
    return `steps: ${found.steps.join(', ')}${at}${found.story === null ? '' : ` #${found.story}`}`;
  return `${found.kind === 'begin' ? `begin: ${found.step}` : 'task'}${at}`;
}

describe('a free sentence', () => {
  it.each(instructions.map(([expected, text]) => [text, expected]))('%j proposes %s', (text, expected) => {
    expect(told(read(text))).toBe(expected);
  });

  it('overlaps with the closed grammar in two known sentences only', () => {
    const taken = instructions.filter(([, text]) => parse(text, knownNames).verb !== null).map(([, text]) => text);
    expect(taken).toEqual(['ok', 'start with bdd']);
  });

  it('becomes a task in its own words, without politeness and the step', () => {
    const begun = read('OK, add a "Save & close" button to A, start with bdd');
    expect(begun).toMatchObject({ task: 'add a "Save & close" button to A' });
    expect(read('A project, add NFR: search API must be p95 < 200ms')).toMatchObject({
      task: 'A project, add NFR: search API must be p95 < 200ms',
    });
    expect(read('set up todo-app: Go backend, React frontend')).toMatchObject({ brief: 'Go backend, React frontend' });
  });

  it('names only steps that the workflow has', () => {
    const other = [{ id: 'build', title: 'Build it' }];
    expect(told(readInstruction('continue with scaffold + impl', knownNames, () => other))).toBe('-');
    expect(told(readInstruction('continue with build it', knownNames, () => other))).toBe('steps: build');
  });

  it('that is small talk reads no workflow', () => {
    const asked: string[] = [];
    for (const text of ['thanks', 'why is it so slow', 'add some milk', 'hello there']) {
      readInstruction(text, knownNames, () => {
        asked.push(text);
        return knownSteps;
      });
    }
    expect(asked).toEqual([]);
  });

  it('is ignored when it is very long or has many lines', () => {
    expect(told(read(`add a cart to A${' and more'.repeat(200)}, start with bdd`))).toBe('-');
    expect(told(read(`${'note\n'.repeat(6)}continue with impl`))).toBe('-');
    const noise = ['ok, '.repeat(249), 'needs a,'.repeat(120), 'a + '.repeat(240), 'A is missing '.repeat(70)];
    for (const text of noise) expect(told(read(`continue with ${text}`))).toBe('-');
  });

  it('proposes work for only two of the sentences that the closed grammar leaves unclear', () => {
    const proposed = unclearRows.filter((text) => read(text) !== null).map((text) => `${text} => ${told(read(text))}`);
    expect(proposed).toEqual(['add integration tests for US-005 => task', 'continue impl => steps: impl']);
  });
});
