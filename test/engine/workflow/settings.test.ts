import { describe, expect, it } from 'vitest';
import { flow, load, loaded, marked, nodeOf, problemsOf } from './support.js';

const withHead = (head: string) => `workflow: mine\n${head}\nchain: [{id: a, prompt: x}]\n`;

describe('the settings of a workflow', () => {
  it.each([
    'policy: {stop_at_decisions: before, adopt_late: true, auto_mode: true, quality_mode: quick, reverify_after_review: true}',
    'stop_at_decisions: before\nadopt_late: true\nauto_mode: true\nquality_mode: quick\nreverify_after_review: true',
  ])('can be given in its policy or at its top level: %s', (head) => {
    const { policy, context } = loaded(load(withHead(head)));
    expect(policy).toMatchObject({ stopAtDecisions: 'before', adoptLate: true, autoMode: true });
    expect(context).toEqual({ quality_mode: 'quick', reverify_after_review: 'true' });
  });

  it.each([
    ['', 'check'],
    ['policy: {writes: check}', 'check'],
    ['policy: {writes: warn}', 'warn'],
  ])('set what a step\'s out-of-scope file causes: "%s"', (head, means) => {
    expect(loaded(load(withHead(head))).policy.writes).toBe(means);
  });

  it('are overridden by the context', () => {
    const { context } = loaded(load(withHead('quality_mode: quick\ncontext: {quality_mode: full}')));
    expect(context).toEqual({ quality_mode: 'full' });
  });

  it.each([
    { limits: '{}', means: { dispatches: 500, insertions: 500, perItem: 60, costUsd: null } },
    { limits: '{dispatches: 9}', means: { dispatches: 9, insertions: 9 } },
    {
      limits: '{dispatches: 9, insertions: 4, per_item: 300, cost: 12.5}',
      means: { insertions: 4, perItem: 300, costUsd: 12.5 },
    },
  ])('read limits: $limits', ({ limits, means }) => {
    expect(loaded(load(withHead(`limits: ${limits}`))).limits).toMatchObject(means);
  });

  it('limit the restarts of every node that sets no limit itself', () => {
    const text =
      'workflow: mine\nlimits: {restarts: 1}\nchain: [{id: a, prompt: x}, {id: b, prompt: x, restarts: 5}]\n';
    expect(loaded(load(text)).chain.map((node) => node.maxRestarts)).toEqual([1, 5]);
  });

  it('apply defaults to tasks and checks only, where they set nothing themselves', () => {
    const text = `workflow: mine
timeout: 1h
defaults: {max_attempts: 1, abandons: 0, max_loops: 7, on_exhausted: pause, timeout: 60m, needs: []}
chain:
  - {id: a, prompt: x}
  - {id: b, kind: check, max_attempts: 2, abandons: 1, max_loops: 1, on_exhausted: fail, timeout: 5m, needs: [a]}
  - {id: c, kind: human, on_fail: {default: a}}
`;
    const facts = loaded(load(text)).chain.map((node) => [
      node.maxAttempts,
      node.abandons,
      node.maxLoops,
      node.onExhausted,
      node.timeoutMs,
      node.needs,
    ]);
    expect(facts).toEqual([
      [1, 0, 7, 'pause', 3_600_000, []],
      [2, 1, 1, 'fail', 300_000, ['a']],
      [3, 2, 3, 'ask', 0, null],
    ]);
  });

  it("can insert a fragment when any node's budget is exhausted", () => {
    const text =
      'workflow: mine\ndefaults: {on_exhausted: {insert: stuck}}\nchain: [{id: a, prompt: x}]\nfragments: {stuck: {nodes: [{id: b, kind: human, on_answer: {skip: next}}]}}\n';
    expect(nodeOf(loaded(load(text)), 'a').onExhausted).toEqual({
      type: 'insert',
      fragment: 'stuck',
      args: [],
      carry: {},
      say: null,
    });
  });

  it.each(['pause', 'cancel_item', 'ask'])('apply policy.timeout: %s', (word) => {
    const text = `workflow: mine\npolicy: {timeout: ${word}}\nchain: [{id: a, prompt: x}, {id: b, prompt: x, on_timeout: fail}]\n`;
    expect(loaded(load(text)).chain.map((node) => node.onTimeout)).toEqual([word, 'fail']);
  });

  it('name the exports, the survey folder and the start positions', () => {
    const head =
      'exports: [state, workflow-state]\nsurvey: .workflow\npositions: [{name: plan, begin: a, when: "latest == \'analyze\'"}]';
    const workflow = loaded(load(withHead(head)));
    expect(workflow.exports).toEqual(['state', 'workflow-state']);
    expect(workflow.positions).toMatchObject([{ name: 'plan', begin: 'a', when: { text: "latest == 'analyze'" } }]);
    expect(loaded(load(withHead('exports: session'))).exports).toEqual(['session']);
  });

  it('allow a start position inside a loop', () => {
    const text = `${flow('{id: l, over: items, body: [{id: a, prompt: x}]}')}survey: .workflow\npositions: [{name: p, begin: a, when: "true"}]\n`;
    expect(problemsOf(load(text))).toEqual([]);
  });
});

describe('an invalid setting is refused with its position', () => {
  it.each([
    { head: 'policy: {auto_mode: true}\n^^auto_mode: true', says: '"auto_mode" is given twice: here and in "policy"' },
    {
      head: 'policy: {stop_at_decisions: ^^after}',
      says: '"stop_at_decisions" of "policy" must be before, never, not a text',
    },
    { head: 'quality_mode: ^^fast', says: '"quality_mode" must be full, standard, quick, not a text' },
    {
      head: 'policy: {timeout: ^^cancel}',
      says: '"timeout" of "policy" must be abandon, ask, fail, pause, cancel_item, not a text',
    },
    { head: 'defaults: {needs: ^^[b]}', says: '"needs" of "defaults" can only be []' },
    { head: 'defaults: {needs: ^^b}', says: '"needs" of "defaults" can only be []' },
    { head: 'defaults: {^^retries: 2}', says: 'unknown key "retries" in "defaults"' },
    { head: 'defaults: {on_exhausted: {insert: ^^f}}', says: 'there is no fragment "f" to insert' },
    { head: 'limits: {cost: ^^0}', says: '"cost" of "limits" must be an amount in dollars above 0, such as 12.50' },
    { head: 'limits: {cost: ^^much}', says: '"cost" of "limits" must be an amount in dollars above 0' },
    { head: 'limits: {cost: ^^2000000}', says: '"cost" of "limits" must be an amount in dollars above 0' },
    { head: 'limits: {cost: ^^[1]}', says: '"cost" of "limits" must be an amount in dollars above 0' },
    {
      head: 'exports: [^^sate]',
      says: '"exports" must be state, workflow-state, session, progress, not a text; did you mean "state"?',
    },
    { head: 'survey: ^^/etc', says: '"survey" must be the path of a folder inside the project' },
    { head: 'survey: ^^../x', says: '"survey" must be the path of a folder inside the project' },
    { head: 'survey: ^^[x]', says: '"survey" must be text, not a list' },
    { head: 'survey: s\npositions: ^^{a: b}', says: '"positions" must be a list of maps' },
    {
      head: 'survey: s\npositions: [^^{name: p, begin: a}]',
      says: 'a position must have a name, a "begin" and a "when"',
    },
    {
      head: 'survey: s\npositions: [{name: p, begin: ^^b, when: "true"}]',
      says: 'the position "p" begins at "b", which is not a node',
    },
    {
      head: 'survey: s\npositions: [{name: p, begin: a, when: ^^"=="}]',
      says: '"when" of "positions" cannot be understood',
    },
    {
      head: 'positions: ^^[{name: p, begin: a, when: "true"}]',
      says: 'the workflow must name their folder',
    },
    { head: 'roles: {dev: {access: ^^all}}', says: '"access" of "dev" must be read, exec, write, not a text' },
    { head: 'roles: {dev: {workspace: ^^x}}', says: '"workspace" of "dev" must be a map of keys' },
    { head: 'roles: {dev: {role: ^^poet}}', says: '"role" of "dev" must be analysis, coding, verification' },
  ])('$head', ({ head, says }) => {
    const { text, place } = marked(withHead(head));
    const found = problemsOf(load(text)).filter((problem) => problem.includes(says));
    expect(found.map((problem) => problem.split(':', 3).join(':'))).toEqual([`flow.yaml:${place}`]);
  });
});
