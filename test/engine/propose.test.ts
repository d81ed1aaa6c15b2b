// What a person is shown before anything runs.
import { expect, it } from 'vitest';
import { fold, type Workflow } from '../../src/engine/index.js';
import { def, Player, workflow } from './builders.js';
import { fragment, gate, when } from './chains.js';

function proposed(flow: Workflow): readonly string[] {
  return Player.create(flow, { propose: true }).open[0]?.text.split('\n') ?? [];
}

it('a proposal lists the steps in order', () => {
  expect(proposed(workflow([def('a', { barrier: true }), def('b')]))).toEqual([
    'Make it',
    'Workflow: test',
    'Steps: a → b',
    'I only ask if something goes wrong.',
  ]);
});

it("a run keeps the notes about the project's own rules", () => {
  const create = (notes: readonly string[]) =>
    Player.create(workflow([def('a')])).events.flatMap((event) =>
      event.type === 'run_created' ? fold([{ ...event, notes }], workflow([def('a')])).state?.run.notes : [],
    );
  expect([create([]), create(['step-rules.yaml holds'])]).toEqual([[undefined], ['step-rules.yaml holds']]);
  const [asked] = Player.create(workflow([def('a')]), { propose: true }).events;
  if (asked?.type !== 'run_created') throw new Error('no run was created');
  const shown = fold([{ ...asked, notes: ['step-rules.yaml holds'] }], workflow([def('a')])).state?.interactions;
  expect(shown?.[0]?.text.split('\n')).toContain('step-rules.yaml holds');
});

it('a proposal with gates counts its decisions, marks barriers and says where the run starts', () => {
  const flow = workflow([def('a', { barrier: true }), def('b'), gate('judge')], {
    fragments: fragment('fix', ['b']),
    survey: '.workflow',
    positions: [{ name: 'b', begin: 'b', when: when('phase != null') }],
  });
  expect(proposed(flow).slice(2)).toEqual([
    '3 steps, 1 of them decisions: a [barrier] → b → ◆ judge',
    'It begins where the files in .workflow say.',
    'I only ask if something goes wrong.',
  ]);
});
