import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stateMachines } from '../../src/engine/model/draft/transition.js';

type Machine = keyof typeof stateMachines;
const machines = Object.keys(stateMachines) as Machine[];
const page = join(import.meta.dirname, '../../docs/state-machines.md');
const begins: Readonly<Record<Machine, string>> = {
  run: 'A run is made as a draft, and begins when a person or its level allows it. One that failed may be continued.',
  item: 'A story waits in its loop. `blocked`: a story that it depends on was lost. `merging`: its branch is put onto the base.',
  node: 'A node waits in its chain. `ready`: due, without a job. `needs_human`: a card asks. `passed` and `skipped` go on.',
  attempt:
    'A try of a node, fenced by its id and token. A report given by hand, and the loss of its job, settle it from the queue.',
  interaction: 'A question to people. `superseded`: the run went on without the answer.',
};

/** As a Mermaid diagram: the first state of the table begins, and a state without moves ends. */
function drawStateMachine(name: Machine): string {
  const moves: readonly (readonly [string, readonly string[]])[] = Object.entries(stateMachines[name]);
  const [first = ''] = moves.map(([from]) => from);
  const arrows = moves.flatMap(([from, targets]) =>
    (targets.length === 0 ? ['[*]'] : targets).map((to) => `  ${from} --> ${to}`),
  );
  return ['stateDiagram-v2', `  [*] --> ${first}`, ...arrows].join('\n');
}

describe('docs/state-machines.md', () => {
  it('draws every legal move of every state machine', async () => {
    const sections = machines.map(
      (name) =>
        `## ${name[0]?.toUpperCase()}${name.slice(1)}\n\n${begins[name]}\n\n\`\`\`mermaid\n${drawStateMachine(name)}\n\`\`\`\n`,
    );
    const intro =
      'Drawn from `src/engine/model/draft/transition.ts`, and a test keeps both in step. The engine enforces three of them: it throws at any other move of a run, an item or a node. Attempts and interactions are only drawn: no code forbids another move. After a change of the table, `npx vitest run test/engine/state-machines.test.ts -u` draws them again.';
    await expect(`# State machines\n\n${intro}\n\n${sections.join('\n')}`).toMatchFileSnapshot(page);
  });

  it('draws no state that nothing leads to', () => {
    for (const name of machines) {
      const [first = '', ...others] = Object.keys(stateMachines[name]);
      const reached = Object.values<readonly string[]>(stateMachines[name]).flat();
      expect([first, ...reached]).toEqual(expect.arrayContaining(others));
    }
  });
});
