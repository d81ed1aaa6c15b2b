import { describe, expect, it } from 'vitest';
import { applyStepRules } from '../../../src/engine/workflow/index.js';
import { flow, load, loaded, marked, nodeOf, problemsOf, warningsOf } from './support.js';

const one = (more: string, head = '') =>
  nodeOf(loaded(load(`workflow: mine\n${head}chain:\n  - {id: z, prompt: x}\n  - {id: a, prompt: x, ${more}}\n`)), 'a');

describe('a node in a workflow file', () => {
  it.each([
    { written: 'call: maestro-plan', means: { call: 'maestro-plan' } },
    { written: 'args: "--gaps {{phase}}"', means: { args: '--gaps {{phase}}' } },
    { written: 'args: [--gaps, "{{phase}}", 2]', means: { args: '--gaps {{phase}} 2' } },
    { written: 'fresh_session: false', means: { freshSession: false } },
    { written: 'freshSession: true', means: { freshSession: true } },
    { written: 'editable: true', means: { editable: true } },
    { written: 'pin: last', means: { pinLast: true } },
    { written: 'after_any: [z]', means: { afterAny: ['z'] } },
    { written: 'after_any: z', means: { afterAny: ['z'] } },
    { written: 'barrier: true', means: { barrier: true } },
    { written: 'needs: [z]', means: { needs: ['z'] } },
    { written: 'needs: []', means: { needs: [] } },
    { written: 'restarts: 0', means: { maxRestarts: 0 } },
    { written: 'on_timeout: pause', means: { onTimeout: 'pause' } },
    { written: 'on_exhausted: pause', means: { onExhausted: 'pause' } },
  ])('reads $written', ({ written, means }) => {
    expect(one(written)).toMatchObject(means);
  });

  it('keeps the text of a "when" expression', () => {
    const { when } = one('when: "quality_mode != \'quick\'"');
    expect(when).toMatchObject({ text: "quality_mode != 'quick'", term: { type: 'compare', operator: '!=' } });
  });

  it('counts outputs used in an expression as used', () => {
    const outputs = 'outputs: [AA, BB, CC, DD, EE, FF]';
    const when = 'when: "!aa && len(bb) > 1 || any(cc, dd == 2) || 3 < ee || ff.gaps"';
    expect(problemsOf(load(flow(`{id: z, prompt: x, ${outputs}}`, `{id: a, prompt: x, ${when}}`)))).toEqual([]);
    expect(problemsOf(load(flow(`{id: z, prompt: x, ${outputs}}`)))).toHaveLength(6);
  });

  it('reads a team with a mode for each story size', () => {
    const { team } = one(
      'team: {mode: {M: team}, roles: {backend: {reads: [docs/api.md], writes: ["src/api/**"], prompt: Only the API.}, test: {}}}',
    );
    expect(team).toEqual({
      mode: { S: 'single', M: 'team', L: 'team' },
      roles: {
        backend: { reads: ['docs/api.md'], writes: ['src/api/**'], prompt: 'Only the API.' },
        test: { reads: [], writes: [], prompt: null },
      },
    });
  });

  it.each([
    { written: 'team: {}', mode: { S: 'single', M: 'auto', L: 'team' } },
    { written: 'team: {mode: team}', mode: { S: 'team', M: 'team', L: 'team' } },
    { written: 'team: {mode: {S: auto, L: auto}}', mode: { S: 'auto', M: 'auto', L: 'auto' } },
  ])('reads $written', ({ written, mode }) => {
    expect(one(written).team).toEqual({ mode, roles: {} });
  });
});

describe('the approvals of a node', () => {
  const human = (written: string) => load(flow(`{id: z, prompt: x}`, `{id: a, kind: human, approvals: ${written}}`));

  it('are absent by default and filled in when given', () => {
    expect(nodeOf(loaded(load(flow('{id: a, kind: human}'))), 'a').approvals).toBeUndefined();
    const none = { quorum: 1, notRequester: false, remindAfterMs: null, escalateAfterMs: null, escalateTo: [] };
    expect(nodeOf(loaded(human('{}')), 'a').approvals).toEqual(none);
    const all = '{quorum: 2, notRequester: true, remind_after: 2h, escalate_after: 8h, escalate_to: [bob, bob, cy]}';
    expect(nodeOf(loaded(human(all)), 'a').approvals).toEqual({
      ...{ quorum: 2, notRequester: true, remindAfterMs: 7_200_000 },
      ...{ escalateAfterMs: 28_800_000, escalateTo: ['bob', 'cy'] },
    });
  });

  it.each([
    ['{quorum: 0}', '"quorum" of "a" must be a whole number from 1 to 10, not a number'],
    ['{quorum: 11}', 'from 1 to 10, not a number'],
    ['{quorom: 2}', 'unknown key "quorom" in "approvals" of "a"; did you mean "quorum"?'],
    ['{remind_after: soon}', 'must be a time such as 30m, 90s or 1h'],
    ['{escalate_to: [bob]}', '"escalate_to" needs "escalate_after"'],
    ['{escalate_after: 8h}', '"escalate_after" needs "escalate_to"'],
    ['{escalate_after: 8h, escalate_to: ["Bob B"]}', 'this is not the name of a person'],
    ['{escalate_after: 8h, escalate_to: [{}]}', 'must be text'],
    ['{escalate_after: 8h, escalate_to: [a, b, c, d, e, f, g, h, i, j, k]}', 'names 11 people; the limit is 10'],
  ])('%s is refused', (written, problem) => {
    expect(problemsOf(human(written)).join('\n')).toContain(problem);
  });

  it('allow a quorum on human nodes and gates only, and reminders on any step', () => {
    const at = (node: string) => problemsOf(load(flow(node)));
    expect(at('{id: a, prompt: x, approvals: {remind_after: 1h}}')).toEqual([]);
    expect(at('{id: a, prompt: x, approvals: {quorum: 2}}').join()).toContain('"a" has no approval');
    expect(at('{id: a, prompt: x, approvals: {not_requester: true}}').join()).toContain('"a" has no approval');
    const loop = at('{id: a, approvals: {quorum: 2}, body: [{id: b, prompt: x}]}');
    expect(loop.join()).toContain('"a" is a loop and asks no one');
    const gate = 'evidence: a.json, fail_when: "x == 1", on: {fix: {insert: f}}, approvals: {quorum: 2}';
    const fragments = 'fragments:\n  f: {nodes: [{id: c, prompt: x}]}\n';
    expect(problemsOf(load(`${flow(`{id: a, kind: decision, ${gate}}`)}${fragments}`))).toEqual([]);
  });

  it("can be changed by the project's step rules", () => {
    const workflow = loaded(load(flow('{id: z, prompt: x}', '{id: a, kind: human}')));
    const ruled = loaded(applyStepRules(workflow, { file: 'rules.yaml', text: 'a: {approvals: {quorum: 3}}' }));
    expect(nodeOf(ruled, 'a').approvals?.quorum).toBe(3);
  });
});

describe('the prompt of a node', () => {
  const prompts = { 'prompts/x/pr.md': 'Open it for {{task}}.', 'one.md': 'One.' };

  it('is read from a file when it is nothing but a file name', () => {
    const text = flow(
      '{id: a, prompt: prompts/x/pr.md, team: {roles: {api: {prompt: one.md}}}}',
      '{id: b, prompt: "see one.md"}',
    );
    const workflow = loaded(load(text, prompts));
    expect(nodeOf(workflow, 'a').prompt).toBe('Open it for {{task}}.');
    expect(nodeOf(workflow, 'a').team?.roles['api']?.prompt).toBe('One.');
    expect(nodeOf(workflow, 'b').prompt).toBe('see one.md');
  });

  it('is its own text, with a warning, when that file does not exist', () => {
    const { text, place } = marked(flow('{id: a, prompt: ^^prompts/x/rp.md}'));
    const result = load(text, prompts);
    expect(nodeOf(loaded(result), 'a').prompt).toBe('prompts/x/rp.md');
    expect(warningsOf(result)).toEqual([
      `flow.yaml:${place}: there is no file "prompts/x/rp.md", so Bosun uses this text as the prompt`,
    ]);
  });

  it('is checked for unknown names with positions in the prompt file', () => {
    const result = load(flow('{id: a, prompt: two.md, outputs: []}'), { 'two.md': 'One\n{{nobody}}' });
    expect(problemsOf(result)).toEqual(['two.md:2:1: nothing fills {{nobody}} in "a"']);
  });

  it('is optional for human nodes and found for step types and fragment nodes', () => {
    const text = `workflow: mine
chain:
  - {id: l, over: items, body: [{id: a, on_status: {odd: {insert: f}}}], step_types: {b: }}
fragments: {f: {nodes: [{id: c}, {id: d, kind: human, on_answer: {skip: next}}]}}
`;
    const files = { 'prompts/mine/a.md': 'A.', 'prompts/mine/b.md': 'B.', 'prompts/mine/c.md': 'C.' };
    const workflow = loaded(load(text, files));
    expect(nodeOf(workflow, 'b').prompt).toBe('B.');
    expect(nodeOf(workflow, 'c').prompt).toBe('C.');
    expect(nodeOf(workflow, 'd').prompt).toBeNull();
    expect(problemsOf(load(text))).toHaveLength(3);
  });
});

describe('the access of a role', () => {
  const roles = (head: string, ...nodes: string[]) =>
    load(`workflow: mine\n${head}chain:\n${nodes.map((node) => `  - ${node}\n`).join('')}`);

  it('is set by the role or by its nodes', () => {
    const workflow = loaded(
      roles(
        'roles: {dev: {access: write}, eye: }\n',
        '{id: a, prompt: x, role: dev}',
        '{id: b, prompt: x, role: eye, access: exec}',
      ),
    );
    expect(Object.values(workflow.roles).map((role) => [role.id, role.access])).toEqual([
      ['dev', 'write'],
      ['eye', 'exec'],
    ]);
    const alone = loaded(roles('', '{id: a, prompt: x, role: dev, access: read}', '{id: b, prompt: x}'));
    expect(alone.roles['dev']?.access).toBe('read');
  });

  const other = '"a" sets another access than its role "dev" has elsewhere: give the node its own role';

  it.each([
    {
      head: '',
      nodes: ['{id: a, prompt: x, role: dev, access: ^^read}', '{id: b, prompt: x, role: dev}'],
      says: other,
    },
    { head: 'roles: {dev: {access: exec}}\n', nodes: ['{id: a, prompt: x, role: dev, access: ^^read}'], says: other },
    {
      head: '',
      nodes: ['{id: a, prompt: x, access: ^^read}'],
      says: '"a" sets "access" but has no role to set it for',
    },
    {
      head: '',
      nodes: ['{id: a, prompt: x, role: dev, access: ^^raed}'],
      says: '"access" of "a" must be read, exec, write, not a text; did you mean "read"?',
    },
  ])('is refused when ambiguous or invalid: $nodes', ({ head, nodes, says }) => {
    const { text, place } = marked(`workflow: mine\n${head}chain:\n${nodes.map((node) => `  - ${node}\n`).join('')}`);
    expect(problemsOf(load(text))).toEqual([`flow.yaml:${place}: ${says}`]);
  });
});

describe('an invalid key of a node', () => {
  it.each([
    { more: 'pin: ^^first', says: '"pin" of "a" must be last, not a text' },
    { more: 'args: ^^{a: b}', says: '"args" of "a" must be text, not a map' },
    { more: 'when: ^^"a =="', says: '"when" of "a" cannot be understood' },
    { more: 'when: ^^[a]', says: '"when" of "a" must be text, not a list' },
    { more: 'on_timeout: ^^cancel_item', says: '"a" is not in a loop, so there is no item to cancel' },
    {
      more: 'on_timeout: ^^30m',
      says: '"on_timeout" of "a" must be abandon, ask, fail, pause, cancel_item, not a text',
    },
    { more: 'after_any: [^^cod]', says: '"a" belongs after "cod", which is not another node of its chain' },
    { more: 'after_any: [z, ^^a]', says: '"a" belongs after "a", which is not another node of its chain' },
    { more: 'team: ^^two', says: '"team" of "a" must be a map of keys, not a text' },
    {
      more: 'team: {roles: {api: {^^wirtes: [x]}}}',
      says: 'unknown key "wirtes" in "api" of "a"; did you mean "writes"?',
    },
    { more: 'team: {mode: ^^al}', says: '"mode" of "a" must be single, auto, team, not a text' },
    {
      more: '^^group: quality',
      says: '"group" was removed; use "needs" on the later nodes: a node with "needs: []" waits for no other node',
    },
    { more: '^^adopt_late: true', says: '"adopt_late" is not supported yet' },
    {
      more: 'on_fail: {default: {retry: true, budget: ^^rejections}}',
      says: '"a" is not in a loop, so there is no item whose rejections it could count',
    },
    {
      more: 'on_fail: {default: {retry: true, budget: ^^loops}}',
      says: '"budget" of "a" must be attempts, rejections, not a text',
    },
    { more: 'team: {roles: {api: {prompt: "^^{{nobody}}"}}}, outputs: []', says: 'nothing fills {{nobody}} in "a"' },
    { more: 'args: ^^"$problem"', says: '"$problem" is outside a fragment, and only fragments have params' },
  ])('is refused with its position: $more', ({ more, says }) => {
    const { text, place } = marked(flow('{id: z, prompt: x, outputs: []}', `{id: a, prompt: x, ${more}}`));
    const found = problemsOf(load(text)).filter((problem) => problem.includes(says));
    expect(found.map((problem) => problem.split(':', 3).join(':'))).toEqual([`flow.yaml:${place}`]);
  });

  it('draws a warning if it is insert_by outside of step types', () => {
    const { text, place } = marked(flow('{id: l, over: items, body: [{id: a, prompt: x, ^^insert_by: system}]}'));
    expect(warningsOf(load(text))).toEqual([
      `flow.yaml:${place}: "insert_by" has no effect on "a", which is not a step type of a loop`,
    ]);
  });

  it('is refused if it is pin: last on a node that inserts', () => {
    const node = '{id: a, prompt: x, pin: ^^last, on_fail: {default: {insert: mend}}}';
    const mend = '\nfragments: {mend: {nodes: [{id: b, prompt: x}]}}';
    const { text, place } = marked(`${flow(node)}${mend}`);
    const problem = `flow.yaml:${place}: "a" is pinned last, so nothing can be inserted after it`;
    expect(problemsOf(load(text))).toEqual([problem]);
  });

  it('is refused if it is pin: last on a node that others follow', () => {
    const { text, place } = marked(flow('{id: a, prompt: x, pin: ^^last}', '{id: b, prompt: x}'));
    expect(problemsOf(load(text))).toEqual([`flow.yaml:${place}: "a" is pinned last, but "b" comes after it`]);
  });

  it.each([
    { node: '{id: a, prompt: x, ^^fail_when: "x"}', says: '"fail_when" has no effect on "a", which is a task node' },
    {
      node: '{id: a, prompt: x, ^^insert_by: system}',
      says: '"insert_by" has no effect on "a", which is not a step type of a loop',
    },
    {
      node: '{id: a, prompt: x, ^^carry: {x: Y}}',
      says: '"carry" has no effect on "a": it belongs to a route, or to a node of a fragment',
    },
    { node: '{id: a, kind: check, ^^call: x}', says: '"call" has no effect on "a", which is a check node' },
    {
      node: '{id: a, prompt: x, ^^on_answer: {skip: next}}',
      says: '"on_answer" has no effect on "a", which is a task node',
    },
  ])('is ignored with a warning on a node of another kind: $node', ({ node, says }) => {
    const { text, place } = marked(flow(node));
    const result = load(text);
    expect(warningsOf(result)).toEqual([`flow.yaml:${place}: ${says}`]);
    expect(nodeOf(loaded(result), 'a')).toMatchObject({ gate: null, onAnswer: null });
  });
});
