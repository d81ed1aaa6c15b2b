import { describe, expect, it } from 'vitest';
import { definitions } from '../../../src/engine/workflow/index.js';
import { flow, load, loaded, marked, nodeOf, problemsOf } from './support.js';

const body = 'body: [{id: a, prompt: x}, {id: b, prompt: x, editable: false}, {id: c, kind: check}]';
const trees = 'over: items, parallel: 3, isolate: worktree';

describe('a loop in a workflow file', () => {
  it('sets how its items run and how their branches merge', () => {
    const conflict = '{insert: mend, before: b}';
    const text = flow(
      `{id: l, ${trees}, max_rejections: 0, on_item_done: {rebase: true, squash: "feat: {{item.key}}", conflict: ${conflict}}, ${body}, step_types: {mend: {prompt: x, insert_by: system, editable: false}, more: {prompt: x}}}`,
    );
    const workflow = loaded(load(text));
    const loop = nodeOf(workflow, 'l');
    expect(loop).toMatchObject({
      over: 'items',
      parallel: 3,
      isolate: 'worktree',
      maxRejections: 0,
      onItemDone: { squash: 'feat: {{item.key}}', conflict: { insert: 'mend', before: 'b' } },
    });
    expect([...loop.body, ...loop.stepTypes].map((node) => [node.id, node.editable, node.insertBy])).toEqual([
      ['a', true, 'anyone'],
      ['b', false, 'anyone'],
      ['c', false, 'anyone'],
      ['mend', false, 'system'],
      ['more', true, 'anyone'],
    ]);
    expect(definitions(workflow).map((node) => node.id)).toEqual(['l', 'a', 'b', 'c', 'mend', 'more']);
  });

  it.each([
    { said: '{}', means: { squash: '{{item.key}}: {{item.title}}', conflict: null } },
    { said: '{squash: x}', means: { squash: 'x', conflict: null } },
  ])('reads on_item_done: $said', ({ said, means }) => {
    expect(nodeOf(loaded(load(flow(`{id: l, ${trees}, on_item_done: ${said}, ${body}}`))), 'l').onItemDone).toEqual(
      means,
    );
  });

  it("makes steps editable only with step_types or the workflow's defaults", () => {
    const head = 'workflow: mine\ndefaults: {editable: true}\nchain:\n';
    expect(nodeOf(loaded(load(flow(`{id: l, over: items, ${body}}`))), 'a').editable).toBe(false);
    const all = loaded(load(`${head}  - {id: l, over: items, ${body}}\n`));
    expect(['a', 'b', 'c'].map((id) => nodeOf(all, id).editable)).toEqual([true, false, false]);
    expect(nodeOf(loaded(load(flow(`{id: l, over: items, ${body}, step_types: }`))), 'a').editable).toBe(true);
  });

  it('can use a fragment as its body and go over surveyed phases', () => {
    const text = `workflow: mine
survey: .workflow/
chain:
  - {id: l, over: phases, body: {use: phase}}
fragments:
  phase: {nodes: [{id: a, prompt: "{{phase}} of {{item.key}}"}, {id: b, prompt: x, needs: [a]}]}
`;
    const workflow = loaded(load(text));
    expect(workflow.survey).toBe('.workflow');
    expect(nodeOf(workflow, 'l')).toMatchObject({ kind: 'loop', over: 'phases' });
    expect(nodeOf(workflow, 'l').body.map((node) => [node.id, node.needs])).toEqual([
      ['a', null],
      ['b', ['a']],
    ]);
    expect(workflow.fragments).toEqual({});
  });

  it('lets its nodes charge rejections for retries and cancel their item on timeout', () => {
    const text = flow(
      '{id: l, over: items, body: [{id: a, prompt: x, on_timeout: cancel_item, on_fail: {default: {retry: true, budget: rejections}}}]}',
    );
    expect(nodeOf(loaded(load(text)), 'a')).toMatchObject({
      onFail: { default: { type: 'retry', budget: 'rejections' } },
      onTimeout: 'cancel_item',
    });
  });
});

describe('an invalid loop is refused with its position', () => {
  const withFragment = (use: string, nodes: string) =>
    `${flow(`{id: l, over: items, body: ${use}}`)}fragments: {phase: ${nodes}}\n`;

  it.each([
    {
      text: flow(`{id: l, over: items, parallel: ^^17, ${body}}`),
      says: '"parallel" of "l" must be a whole number from 1 to 16',
    },
    {
      text: flow(`{id: l, over: items, on_item_done: ^^{conflict: {insert: a, before: a}}, ${body}}`),
      says: '"conflict" of "l" needs "isolate: worktree": without it there is no branch to merge',
    },
    { text: flow(`{id: l, ${trees}, on_item_done: {rebase: ^^false}, ${body}}`), says: '"rebase" can only be true' },
    {
      text: flow(`{id: l, ${trees}, on_item_done: {conflict: ^^{insert: mend}}, ${body}}`),
      says: '"conflict" must name the step to insert and the step before which',
    },
    {
      text: flow(
        `{id: l, ${trees}, on_item_done: {conflict: {insert: ^^mned, before: b}}, ${body}, step_types: {mend: {prompt: x}}}`,
      ),
      says: '"mned" is not a step type of "l"; did you mean "mend"?',
    },
    {
      text: flow(
        `{id: l, ${trees}, on_item_done: {conflict: {insert: mend, before: ^^z}}, ${body}, step_types: {mend: {prompt: x}}}`,
      ),
      says: '"z" is not a node of "l"',
    },
    {
      text: flow(`{id: l, ${trees}, on_item_done: {squash: "^^{{nobody}}"}, body: [{id: a, prompt: x, outputs: []}]}`),
      says: 'nothing fills {{nobody}} in "l"',
    },
    {
      text: flow(`{id: l, over: ^^phases, ${body}}`),
      says: 'the loop "l" goes over phases, so the workflow must name the folder that lists them: "survey: .workflow"',
    },
    { text: flow(`{id: l, over: items, ${body}, step_types: ^^[mend]}`), says: '"step_types" must be a map of steps' },
    {
      text: flow(`{id: l, over: items, ${body}, step_types: {mend: ^^x}}`),
      says: 'the step type "mend" must be a map of keys',
    },
    {
      text: flow(`{id: l, over: items, ${body}, step_types: {^^a: {prompt: x}}}`),
      says: 'two nodes have the id "a"',
    },
    { text: flow(`{id: l, over: items, ${body}, step_types: {^^a b: {prompt: x}}}`), says: 'invalid id' },
    {
      text: flow(`{id: l, over: items, ${body}, step_types: {^^m: {over: items, body: [{id: n, prompt: x}]}}}`),
      says: 'a loop as a step type ("m") is not supported yet',
    },
    {
      text: `workflow: mine\n^^step_types: {}\nchain: [{id: a, prompt: x}]\n`,
      says: '"step_types" belongs to a loop: write it beside the loop\'s "body"',
    },
    {
      text: flow(`{id: l, over: ^^milestones, ${body}}`),
      says: 'as post-milestone of lifecycle does',
    },
    {
      text: flow('{id: l, over: items, body: ^^{}}'),
      says: 'the body of "l" must be a list of nodes or "{use: a-fragment}"',
    },
    { text: flow('{id: l, over: items, body: {use: ^^[a]}}'), says: '"use" of "l" must be text, not a list' },
    { text: flow('{id: l, over: items, body: ^^5}'), says: 'a chain must be a list of nodes' },
    {
      text: withFragment('{use: ^^phsae}', '{nodes: [{id: a, prompt: x}]}'),
      says: 'there is no fragment "phsae"; did you mean "phase"?',
    },
    {
      text: withFragment('{use: ^^phase}', '{params: [p], nodes: [{id: a, prompt: x}]}'),
      says: '"phase" has params, so it cannot be the body of "l"',
    },
    {
      text: withFragment('{use: ^^phase}', '{nodes: [{again: l}]}'),
      says: '"phase" repeats nodes, so it cannot be the body of "l"',
    },
  ])('$says', ({ text: withMark, says }) => {
    const { text, place } = marked(withMark);
    const found = problemsOf(load(text)).filter((problem) => problem.includes(says));
    expect(found.map((problem) => problem.split(':', 3).join(':'))).toEqual([`flow.yaml:${place}`]);
  });
});
