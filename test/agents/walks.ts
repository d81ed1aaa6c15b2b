// Whole workflows as a real program walks them, with a question, a permission and a red test on the way. What differs
// between the programs comes in as moves.
import { expect } from 'vitest';
import type { Move, Script } from './model/talk.js';
import { handoff, isAgain, moreTests, put, rightCode, wrongCode } from './moves.js';
import type { Stage } from './stage.js';

/** The question is asked while it works. */
export function quickScript(asking: readonly Move[], running: readonly Move[]): Script {
  return {
    Implement: (talk) => {
      const code = isAgain(talk) ? rightCode : wrongCode;
      const first = isAgain(talk) ? [] : [...asking, ...running];
      return [...first, ...put('src/cart.ts', code), ...handoff({ step: 'implement' })];
    },
  };
}

const story = 'US-001';

/** `running`: what is to be allowed; `refused`: what is to be denied. */
export function storyScript(running: readonly Move[], refused: readonly Move[]): Script {
  const done = (step: string) => handoff({ step, story });
  return {
    'BDD scenarios': [...put(`docs/bdd/${story}.md`, 'Given a cart with 2 and 3, it costs 5.\n'), ...done('bdd')],
    'SDD delta': ({ prompt, before }) =>
      before.length === 0
        ? handoff({ step: 'sdd-delta', story, status: 'needs_human', summary: 'Whole cents or halves?' })
        : [...put(`docs/deltas/${story}.md`, `Prices: ${answerIn(prompt)}.\n`), ...done('sdd-delta')],
    'API contract': [...put('docs/api/openapi.yaml', 'openapi: 3.1.0\n'), ...done('contract')],
    'Test scaffolding': [...put('test/cart.spec.ts', moreTests), ...done('scaffold')],
    Implementation: (talk) =>
      isAgain(talk)
        ? [...put('src/cart.ts', rightCode), ...done('impl')]
        : [...running, ...put('src/cart.ts', wrongCode), ...done('impl')],
    Verification: [...refused, ...done('verify')],
    'Memory update': [...put('PROJECT_MEMORY.md', 'Carts add up.\n'), ...done('update-memory')],
  };
}

function answerIn(prompt: string): string {
  return /^The answer: (.*)$/m.exec(prompt)?.[1] ?? 'nobody said';
}

/** From the start of the story to the review, with the question that ended the session that asked it. */
export async function walkToReview(stage: Stage): Promise<void> {
  await stage.run(`${story} Add up a cart`);
  const question = await stage.asked('question');
  expect(question.text).toContain('Whole cents or halves?');
  await stage.answer(question, 'whole cents');
  await stage.press(await stage.asked('review'), 'Approve');
  expect(stage.read(`docs/deltas/${story}.md`)).toBe('Prices: whole cents.\n');
}

/** The state in which every walk ends: done, green, the first code refused by the tests, nobody else spoken to. */
export async function expectDone(stage: Stage, worker: string): Promise<void> {
  const { run, nodes } = await stage.ended();
  expect([run?.status, ...nodes.map(({ state }) => state)].filter((state) => state !== 'passed')).toEqual([
    'completed',
  ]);
  expect(nodes.flatMap(({ tests }) => tests ?? []).at(-1)).toMatchObject({ fail: 0 });
  const tries = stage.model.asked.filter(({ talk }) => talk.results.length === 0 && isAgain(talk));
  expect(tries.length).toBeGreaterThan(0);
  expect(stage.read('src/cart.ts')).toBe(rightCode);
  expect(stage.git('status', '--porcelain')).toBe('');
  expect(stage.git('show', '--format=', '--name-only', 'HEAD').split('\n')).toContain('src/cart.ts');
  expect({ worker, strangers: stage.model.strangers }).toEqual({ worker, strangers: [] });
  expect([...stage.model.peers]).toEqual(['127.0.0.1']);
}
