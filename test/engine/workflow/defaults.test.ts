import { describe, expect, it } from 'vitest';
import { def, loop, workflow } from '../builders.js';
import { flow, load, loaded, nodeOf, problemsOf, warningsOf } from './support.js';

const one = (node: string, head = '') => nodeOf(loaded(load(`workflow: mine\n${head}chain:\n  - ${node}\n`)), 'a');

describe('the defaults of a workflow file', () => {
  it('fill in every field of a task', () => {
    expect(one('{id: a, prompt: do it}')).toEqual({
      id: 'a',
      kind: 'task',
      title: 'a',
      role: null,
      prompt: 'do it',
      reads: [],
      writes: [],
      expects: { status: null, keys: [], items: 'any', red: false },
      outputs: null,
      check: null,
      tests: null,
      timeoutMs: 30 * 60_000,
      maxAttempts: 3,
      abandons: 2,
      maxLoops: 3,
      rollback: false,
      mandatory: false,
      onPass: { type: 'next' },
      onFail: { default: { type: 'retry', budget: 'attempts' } },
      onStatus: {},
      decisionKey: null,
      onDecision: {},
      onExhausted: 'ask',
      onTimeout: 'abandon',
      call: null,
      args: null,
      freshSession: true,
      editable: false,
      insertBy: 'anyone',
      pinLast: false,
      afterAny: [],
      barrier: false,
      needs: null,
      when: null,
      gate: null,
      onAnswer: null,
      team: null,
      maxRestarts: 3,
      body: [],
      maxRejections: 2,
      over: 'items',
      parallel: 1,
      isolate: 'shared',
      stepTypes: [],
      onItemDone: null,
    });
  });

  it('match those of the workflows that tests build', () => {
    const text =
      'title: Test\nexports: [state]\nchain: [{id: a, prompt: x}, {id: b, over: items, body: [{id: c, prompt: x}]}]';
    const read = loaded(load(`workflow: test\n${text}`));
    expect(workflow([def('a', { prompt: 'x' }), loop('b', [def('c', { prompt: 'x' })])])).toEqual(read);
  });

  it('fill in every field of the workflow', () => {
    const { chain, ...head } = loaded(load(flow('{id: a, prompt: x}')));
    expect(chain).toHaveLength(1);
    expect(head).toEqual({
      name: 'mine',
      title: 'mine',
      version: '1',
      inputs: {},
      context: {},
      roles: {},
      policy: {
        level: null,
        onItemFailed: 'fail_run',
        report: null,
        afterStory: null,
        pollMs: 60_000,
        stopAtDecisions: 'never',
        adoptLate: false,
        autoMode: false,
        writes: 'check',
      },
      limits: { items: 20, nodesPerItem: 30, dispatches: 500, perItem: 60, insertions: 500, costUsd: null },
      fragments: {},
      survey: null,
      positions: [],
      exports: [],
    });
  });

  it('treat empty sections like absent ones', () => {
    const head = 'inputs:\ncontext:\nroles:\npolicy:\ndefaults:\nlimits:\nfragments:\npositions:\nexports:\n';
    expect(
      loaded(
        load(`workflow: mine\n${head}chain: [{id: a, prompt: x, reads: , on_status: , on_fail: , needs: , tests}]`),
      ),
    ).toEqual(loaded(load(flow('{id: a, prompt: x}'))));
  });

  it('give human nodes and loops no timeout', () => {
    const workflow = loaded(
      load(flow('{id: l, over: items, body: [{id: a, prompt: x}, {id: r, kind: human, on_fail: {default: a}}]}')),
    );
    expect([nodeOf(workflow, 'l').timeoutMs, nodeOf(workflow, 'r').timeoutMs]).toEqual([0, 0]);
  });

  it('make a node with a body a loop, which then needs "over"', () => {
    expect(problemsOf(load(flow('{id: l, body: [{id: a, prompt: x}]}')))).toEqual([
      'flow.yaml:3:5: the loop "l" lacks "over", such as "over: items"',
    ]);
    const whole = loaded(load(flow('{id: l, over: items, body: [{id: a, prompt: x}]}')));
    expect(whole.chain.map(({ kind }) => kind)).toEqual(['loop']);
    expect(problemsOf(load(flow('{id: l, over: items}'))).join()).toMatch(/loop "l"/);
  });

  it.each([
    { check: '{id: a, kind: check}', runs: ['{{project.check}}', 'project'] },
    { check: '{id: a, kind: check, check: make}', runs: ['make', null] },
    { check: '{id: a, kind: check, tests: true}', runs: [null, 'project'] },
    { check: '{id: a, kind: check, tests: false}', runs: ['{{project.check}}', null] },
    { check: '{id: a, kind: check, check: ""}', runs: [null, 'project'] },
  ])('make the check $check run $runs', ({ check, runs }) => {
    const node = one(check);
    expect([node.check, node.tests]).toEqual(runs);
  });
});

describe('a workflow file', () => {
  it.each([
    { written: '30m', ms: 1_800_000 },
    { written: '90s', ms: 90_000 },
    { written: '1h', ms: 3_600_000 },
    { written: '250ms', ms: 250 },
    { written: '1.5h', ms: 5_400_000 },
    { written: '45', ms: 45_000 },
  ])('timeout: $written is $ms ms', ({ written, ms }) => {
    expect(one(`{id: a, prompt: x, timeout: ${written}}`).timeoutMs).toBe(ms);
  });

  it('takes a timeout from the node, else its role, else the workflow', () => {
    const head =
      'timeout: 1h\nroles: {dev: {timeout: 10m, executor: claude, prompt: dev.md, title: Developer}, other: }\n';
    const nodes = '[{id: a, role: dev, timeout: 1m}, {id: b, role: dev}, {id: c, role: other, prompt: x}]';
    const workflow = loaded(load(`workflow: mine\n${head}chain: ${nodes}\n`, { 'dev.md': 'You build.' }));
    expect(workflow.chain.map((node) => node.timeoutMs)).toEqual([60_000, 600_000, 3_600_000]);
    expect(workflow.roles).toEqual({
      dev: { id: 'dev', prompt: 'You build.', executor: 'claude', access: null },
      other: { id: 'other', prompt: null, executor: null, access: null },
    });
  });

  it('finds the built-in prompt of a step and of a role that is only named', () => {
    const prompts = { 'prompts/mine/a.md': 'Step a.', 'prompts/roles/dev.md': 'You build.' };
    const workflow = loaded(
      load(flow('{id: a, role: dev}', '{id: b, role: dev}', '{id: c, role: anybody, prompt: x}'), prompts),
    );
    expect(workflow.chain.map((node) => node.prompt)).toEqual(['Step a.', null, 'x']);
    expect(workflow.roles).toEqual({
      dev: { id: 'dev', prompt: 'You build.', executor: null, access: null },
      anybody: { id: 'anybody', prompt: null, executor: null, access: null },
    });
  });

  it.each([
    { written: 'true', means: 'project' },
    { written: 'project', means: 'project' },
    { written: 'npm test', means: { run: 'npm test', format: 'auto' } },
    { written: '{run: npm test}', means: { run: 'npm test', format: 'auto' } },
    { written: '{run: npx jest --json, format: jest}', means: { run: 'npx jest --json', format: 'jest' } },
    { written: 'false', means: null },
    { written: '', means: null },
    { written: '{run: t, allow_none: true}', means: { run: 't', format: 'auto', allowNone: true } },
  ])('reads tests: $written as $means', ({ written, means }) => {
    expect(one(`{id: a, prompt: x, tests: ${written}}`).tests).toEqual(means);
  });

  it.each([
    { written: 'next', means: { type: 'next' } },
    { written: 'Retry', means: { type: 'retry', budget: 'attempts' } },
    { written: 'ask', means: { type: 'ask' } },
    { written: 'fail', means: { type: 'fail' } },
    { written: '{finish: true}', means: { type: 'finish' } },
    { written: 'a', means: { type: 'retry', budget: 'attempts' } },
    { written: 'b', means: { type: 'goto', target: 'b', budget: 'loops', carry: {}, clear: [] } },
    {
      written: '{goto: b, carry: {Feedback: issues}, clear: [Task]}',
      means: { type: 'goto', target: 'b', budget: 'loops', carry: { feedback: 'ISSUES' }, clear: ['task'] },
    },
  ])('reads the route $written', ({ written, means }) => {
    const workflow = loaded(load(flow(`{id: a, prompt: x, on_fail: {default: ${written}}}`, '{id: b, prompt: x}')));
    expect(nodeOf(workflow, 'a').onFail['default']).toEqual(means);
  });

  it('matches decisions and statuses case-insensitively', () => {
    const node = one(
      '{id: a, prompt: x, decision_key: verdict, on_decision: {" Approved": next, NO: retry}, on_status: {Retry: retry}, expects: {status: [Done, RETRY], keys: [plan]}}',
    );
    expect(Object.keys(node.onDecision)).toEqual(['approved', 'no']);
    expect(Object.keys(node.onStatus)).toEqual(['retry']);
    expect(node.decisionKey).toBe('VERDICT');
    expect(node.expects).toEqual({ status: ['done', 'retry'], keys: ['PLAN'], items: 'any', red: false });
  });

  it.each([
    [
      '',
      true,
      [
        'flow.yaml:3:5: "update-memory" may name the next story only because it has the name of a shipped step that may; declare "outputs: [NEXT_STORY]"',
      ],
    ],
    [', outputs: [SUMMARY]', undefined, []],
    [', outputs: [NEXT_STORY]', undefined, []],
  ])('lets an older update-memory step name the next story, with a warning (outputs:%s)', (more, may, warnings) => {
    const result = load(flow(`{id: update-memory, prompt: x${more}}`));
    expect(nodeOf(loaded(result), 'update-memory').mayNameStory).toBe(may);
    expect(warningsOf(result)).toEqual(warnings);
  });

  it('adds the keys that a node requires or carries to its declared outputs', () => {
    const text = flow(
      '{id: a, prompt: "{{feedback}}"}',
      '{id: b, prompt: x, outputs: [SUMMARY], expects: {keys: [PR_URL]}, decision_key: VERDICT, on_decision: {ok: next, no: {goto: a, carry: {feedback: ISSUES}}}}',
      '{id: c, prompt: x, outputs: [SUMMARY], decision_key: DECISION, on_decision: {ok: next}}',
    );
    const workflow = loaded(load(text));
    expect(nodeOf(workflow, 'b').outputs).toEqual(['SUMMARY', 'PR_URL', 'VERDICT', 'ISSUES']);
    expect(nodeOf(workflow, 'c').outputs).toEqual(['SUMMARY']);
  });

  it('replaces {story} and US-{story} with the whole story key', () => {
    const body = '{id: a, prompt: x, reads: ["docs/bdd/US-{story}.md", "docs/{story}.md"], writes: "{{item.key}}.md"}';
    const node = nodeOf(
      loaded(load(flow(`{id: l, over: stories, parallel: 1, isolate: shared, max_rejections: 4, body: [${body}]}`))),
      'a',
    );
    expect(node.reads).toEqual(['docs/bdd/{{item.key}}.md', 'docs/{{item.key}}.md']);
    expect(node.writes).toEqual(['{{item.key}}.md']);
  });

  it('sets policy, limits, inputs, context and version in its head', () => {
    const text = `workflow: mine
version: 1.0
title: My flow
description: what it is for
policy: {level: semi, on_item_failed: continue, timeout: fail, report: required, after_story: start, poll_ms: 5000}
limits: {items: 5, nodes_per_item: 6, dispatches: 7}
inputs: {task: {required: true, description: what to do}, repo: , branch: {default: main}, note: {default: }}
context: {feedback: , tone: dry}
chain: [{id: a, prompt: "{{feedback}} {{tone}}", editable: false, fresh_session: true}]
`;
    const workflow = loaded(load(text));
    expect(workflow).toMatchObject({
      title: 'My flow',
      version: '1.0',
      policy: { level: 'semi', onItemFailed: 'continue', report: 'required', afterStory: 'start', pollMs: 5000 },
      limits: { items: 5, nodesPerItem: 6, dispatches: 7 },
      inputs: {
        task: { required: true, default: null },
        repo: { required: false, default: null },
        branch: { required: false, default: 'main' },
        note: { required: false, default: '' },
      },
      context: { feedback: '', tone: 'dry' },
    });
    expect(workflow.chain[0]?.onTimeout).toBe('fail');
  });

  it('supports YAML anchors and aliases', () => {
    const text =
      'workflow: mine\nchain:\n  - {id: a, prompt: &p do it, outputs: &o [SUMMARY]}\n  - {id: b, prompt: *p, outputs: *o}\n';
    expect(loaded(load(text)).chain.map((node) => node.prompt)).toEqual(['do it', 'do it']);
  });

  it('lets two nodes declare the same output when one sends the work back to the other', () => {
    const text = flow(
      '{id: a, prompt: "{{plan}}", outputs: [PLAN]}',
      '{id: b, prompt: x, outputs: [PLAN], on_fail: {default: {goto: a}}}',
    );
    expect(problemsOf(load(text))).toEqual([]);
  });

  it("counts an output as used when a role's prompt names it", () => {
    const text = 'workflow: mine\nroles: {dev: {prompt: dev.md}}\nchain:\n  - {id: a, role: dev, outputs: [PLAN]}\n';
    expect(problemsOf(load(text, { 'dev.md': 'The plan: {{plan}}' }))).toEqual([]);
  });

  it('accepts needs that name earlier nodes', () => {
    expect(
      problemsOf(load(flow('{id: a, prompt: x}', '{id: b, prompt: x, needs: [a]}', '{id: c, prompt: x, needs: b}'))),
    ).toEqual([]);
  });

  it('reads __proto__ and constructor as plain keys', () => {
    const workflow = loaded(
      load('workflow: mine\ncontext: {__proto__: x, constructor: y}\nchain: [{id: a, prompt: x}]'),
    );
    expect(Object.keys(workflow.context)).toEqual(['__proto__', 'constructor']);
    expect(problemsOf(load('workflow: mine\nconstructor: 1\nchain: [{id: a, prompt: x, toString: 1}]'))).toEqual([
      'flow.yaml:2:1: unknown key "constructor"',
      'flow.yaml:3:28: unknown key "toString" in "a"',
    ]);
  });
});

describe('a decision that skips nodes', () => {
  it('loads with a warning for the nodes that none of its values reaches', () => {
    const text = flow(
      '{id: a, prompt: x, decision_key: DECISION, on_decision: {skip: {goto: d}}}',
      '{id: b, prompt: x}',
      '{id: c, prompt: x}',
      '{id: d, prompt: x}',
    );
    expect(problemsOf(load(text))).toEqual([]);
    expect(warningsOf(load(text))).toEqual([
      'flow.yaml:4:5: "b" is never reached: every value of the decision before it leads elsewhere',
      'flow.yaml:5:5: "c" is never reached: every value of the decision before it leads elsewhere',
    ]);
  });

  it('loads without a warning when another value or on_exhausted leads on', () => {
    const decide = (more: string) =>
      flow(`{id: a, prompt: x, decision_key: DECISION, ${more}}`, '{id: b, prompt: x}', '{id: d, prompt: x}');
    const skip = 'skip: {goto: d}';
    expect(warningsOf(load(decide(`on_decision: {${skip}, stay: next}`)))).toEqual([]);
    const spent = `on_decision: {${skip}}, on_exhausted: {insert: mend}`;
    const inserted = load(`${decide(spent)}fragments: {mend: {nodes: [{again: a}]}}\n`);
    expect([...problemsOf(inserted), ...warningsOf(inserted)]).toEqual([]);
  });
});
