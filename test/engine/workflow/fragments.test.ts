import { describe, expect, it } from 'vitest';
import { definitions } from '../../../src/engine/workflow/index.js';
import { flow, load, loaded, marked, nodeOf, problemsOf, warningsOf } from './support.js';

interface Parts {
  readonly head?: string;
  readonly chain?: readonly string[];
  readonly fragments?: readonly string[];
}

function written({ head = '', chain = [], fragments = [] }: Parts): string {
  const lines = (parts: readonly string[], indent: string) => parts.map((part) => `${indent}${part}\n`).join('');
  return `workflow: mine\n${head}chain:\n${lines(chain, '  - ')}fragments:\n${lines(fragments, '  ')}`;
}

const work = '{id: work, prompt: x}';
const gate = (more: string) => `{id: gate, kind: decision, evidence: a.json, fail_when: "passed != true", ${more}}`;
const fix = 'fix: {nodes: [{again: work}, {again: gate, retry: next}]}';
const plainGate = gate('on: {fix: {insert: fix}}');

describe('a gate in a workflow file', () => {
  it('reads evidence, max_retries and the routes fix, escalate and pass', () => {
    const text = written({
      chain: [
        work,
        gate(
          'max_retries: 2, on: {fix: {insert: fix, carry: {Gap_Summary: uat.gaps}, say: "again ({{retry}}/{{max}}, {{anything}})"}, escalate: {insert: stuck, args: [work, "{{gap_summary}}"]}, pass: {say: all well}}',
        ),
      ],
      fragments: [fix, 'stuck: {params: [stage, why], nodes: [{again: $stage, args: $why}]}'],
    });
    const node = nodeOf(loaded(load(text)), 'gate');
    expect(node.gate).toMatchObject({
      evidence: [{ file: 'a.json', as: '', isOptional: false }],
      failWhen: { text: 'passed != true' },
      maxRetries: 2,
      onFail: {
        type: 'insert',
        fragment: 'fix',
        args: [],
        carry: { gap_summary: 'uat.gaps' },
        say: 'again ({{retry}}/{{max}}, {{anything}})',
      },
      onEscalate: { fragment: 'stuck', args: ['work', '{{gap_summary}}'], carry: {}, say: null },
      say: 'all well',
    });
    expect(node).toMatchObject({ kind: 'decision', timeoutMs: 0, onPass: { type: 'next' }, outputs: null });
  });

  it.each([
    { evidence: 'verification.json', means: [['verification.json', '', false]] },
    { evidence: '[verification.json?]', means: [['verification.json', '', true]] },
    {
      evidence: '[uat.md, .tests/test-results.json?, .hidden, v1.2.json]',
      means: [
        ['uat.md', 'uat', false],
        ['.tests/test-results.json', 'test_results', true],
        ['.hidden', '_hidden', false],
        ['v1.2.json', 'v1_2', false],
      ],
    },
  ])('reads the evidence $evidence', ({ evidence, means }) => {
    const text = written({ chain: [work, plainGate.replace('a.json', evidence)], fragments: [fix] });
    const { gate: found } = nodeOf(loaded(load(text)), 'gate');
    expect(found?.evidence.map((one) => [one.file, one.as, one.isOptional])).toEqual(means);
    expect(found).toMatchObject({ maxRetries: null, onEscalate: null, say: null });
  });

  it('can judge the survey, if the workflow names its folder', () => {
    const parts = { chain: [work, plainGate.replace('a.json', 'survey')], fragments: [fix] };
    expect(nodeOf(loaded(load(written({ ...parts, head: 'survey: .workflow\n' }))), 'gate').gate?.evidence).toEqual([
      { file: 'survey', as: '', isOptional: false },
    ]);
    const { text, place } = marked(written({ ...parts, chain: [work, plainGate.replace('a.json', '^^survey')] }));
    expect(problemsOf(load(text))).toEqual([
      `flow.yaml:${place}: "gate" judges the survey, so the workflow must name its folder: "survey: .workflow"`,
    ]);
  });

  it('draws a warning when it has an escalate route without max_retries', () => {
    const chain = [work, gate('on: {fix: {insert: fix}, escalate: ^^{insert: fix}}')];
    const { text, place } = marked(written({ chain, fragments: [fix] }));
    expect(warningsOf(load(text))).toEqual([
      `flow.yaml:${place}: "gate" never escalates, because it has no max_retries`,
    ]);
  });

  it.each([
    ['passed == false', true],
    ["verdict == 'BLOCK' || any(issues, severity == 'critical')", true],
    ['passed != true || len(gaps) > 0', false],
    ["verdict != 'PASS' && verdict != 'WARN'", false],
  ])('draws a warning if an empty file would pass it: %s', (failWhen, isWarned) => {
    const judged = plainGate.replace('"passed != true"', `^^"${failWhen}"`);
    const { text, place } = marked(written({ chain: [work, judged], fragments: [fix] }));
    const said = `flow.yaml:${place}: "gate" names what fails, so a file without that value would pass: name what passes, as in "passed != true", and a missing value fails`;
    expect(warningsOf(load(text))).toEqual(isWarned ? [said] : []);
  });

  it.each([
    ['', 'fix: {nodes: [{again: work}]}', true],
    ['', 'fix: {nodes: [{again: gate, retry: next}]}', false],
    [', args: [gate]', 'fix: {params: [judge], nodes: [{again: work}, {again: $judge}]}', false],
    [', args: [work]', 'fix: {params: [judge], nodes: [{again: $judge}]}', true],
  ])('draws a warning if its fix%s does not lead back to it: %s', (args, fragment, isWarned) => {
    const chain = [work, gate(`on: {fix: {insert: ^^fix${args}}}`)];
    const { text, place } = marked(written({ chain, fragments: [fragment] }));
    const said = `flow.yaml:${place}: "fix" does not repeat "gate": end it with "again: gate" and "retry: next"`;
    expect(warningsOf(load(text))).toEqual(isWarned ? [said] : []);
  });

  it('with a decision_key instead of evidence is read as a task', () => {
    const routes = 'decision_key: DECISION, on_decision: {yes: next, no: {goto: work}}, max_retries: 4';
    const parts = (kind: string) => written({ chain: [work, `{id: judge, kind: ${kind}, prompt: x, ${routes}}`] });
    expect(loaded(load(parts('decision')))).toEqual(loaded(load(parts('task'))));
    expect(nodeOf(loaded(load(parts('decision'))), 'judge')).toMatchObject({ kind: 'task', maxLoops: 4, gate: null });
    const both = gate('on: {fix: {insert: fix}}, decision_key: D, on_decision: {yes: next}');
    expect(nodeOf(loaded(load(written({ chain: [work, both], fragments: [fix] }))), 'gate').kind).toBe('decision');
  });

  it('keeps following nodes reachable and uses the outputs that it names', () => {
    const text = written({
      chain: [
        '{id: work, prompt: "{{gaps}}", outputs: [QUALITY]}',
        gate('when: "quality != 1", on: {fix: {insert: fix, carry: {gaps: gaps}}}'),
        '{id: after, prompt: x, outputs: []}',
      ],
      fragments: [fix],
    });
    expect(problemsOf(load(text))).toEqual([]);
    expect(warningsOf(load(text))).toEqual([]);
  });
});

describe('a fragment in a workflow file', () => {
  it('contains nodes of its own and nodes to repeat', () => {
    const text = written({
      chain: [work, gate('on: {fix: {insert: fix, args: [work, all]}}')],
      fragments: [
        'fix: {params: [stage, what], nodes: [{id: mend, prompt: x, needs: []}, {again: $stage, args: [--gaps, "{{args}}"]}, {id: look, prompt: x, needs: [mend], args: $what}, {again: gate, retry: next, when: "quality == \'full\'"}]}',
      ],
    });
    const workflow = loaded(load(text));
    expect(workflow.fragments).toMatchObject({
      fix: {
        id: 'fix',
        params: ['stage', 'what'],
        nodes: [
          { template: 'mend', args: null, retry: 'fresh', when: null },
          { template: '$stage', args: '--gaps {{args}}', retry: 'fresh', when: null },
          { template: 'look', args: null, retry: 'fresh', when: null },
          { template: 'gate', args: null, retry: 'next', when: { text: "quality == 'full'" } },
        ],
        defs: [
          { id: 'mend', needs: [] },
          { id: 'look', needs: ['mend'], args: '$what' },
        ],
      },
    });
    expect(definitions(workflow).map((node) => node.id)).toEqual(['work', 'gate', 'mend', 'look']);
  });

  it('can be inserted by every kind of route, by on_exhausted and by on_answer', () => {
    const text = written({
      chain: [
        '{id: work, prompt: "{{why}}", on_pass: {insert: f}, on_status: {odd: {insert: f}}, on_fail: {default: {insert: f, carry: {Why: issues}, say: "on {{task}}"}}, on_exhausted: {insert: f}}',
        '{id: judge, prompt: x, decision_key: D, on_decision: {no: {insert: f}}}',
        '{id: ask, kind: human, on_answer: {continue: {insert: f}, skip: next, abort: fail}}',
      ],
      fragments: ['f: {nodes: [{again: work}]}'],
    });
    const workflow = loaded(load(text));
    const added = { type: 'insert', fragment: 'f', args: [], carry: {}, say: null };
    expect(nodeOf(workflow, 'work')).toMatchObject({
      onPass: added,
      onStatus: { odd: added },
      onFail: { default: { ...added, carry: { why: 'ISSUES' }, say: 'on {{task}}' } },
      onExhausted: added,
    });
    expect(nodeOf(workflow, 'judge').onDecision).toEqual({ no: added });
    expect(nodeOf(workflow, 'ask').onAnswer).toEqual({
      continue: added,
      skip: { type: 'next' },
      abort: { type: 'fail' },
    });
    expect(warningsOf(load(text))).toEqual([]);
  });

  it('can declare values that a report or evidence carries to its nodes', () => {
    const text = written({
      chain: [
        '{id: work, prompt: x, outputs: [], on_status: {odd: {insert: fix}, worse: {insert: fix, carry: {feedback: PLAN}}}}',
        gate('max_retries: 1, on: {fix: {insert: fix}, escalate: {insert: fix, carry: {feedback: uat.gaps}}}'),
      ],
      fragments: [
        'fix: {nodes: [{id: mend, prompt: "{{feedback}}", carry: {feedback: issues}}, {again: gate, carry: {Worst: uat.worst}}]}',
      ],
    });
    const workflow = loaded(load(text));
    expect(nodeOf(workflow, 'work')).toMatchObject({
      onStatus: {
        odd: { carry: { feedback: 'ISSUES', worst: 'UAT.WORST' } },
        worse: { carry: { feedback: 'PLAN', worst: 'UAT.WORST' } },
      },
    });
    expect(nodeOf(workflow, 'work').outputs).toContain('ISSUES');
    expect(nodeOf(workflow, 'gate').gate).toMatchObject({
      onFail: { carry: { feedback: 'issues', worst: 'uat.worst' } },
      onEscalate: { carry: { feedback: 'uat.gaps', worst: 'uat.worst' } },
    });
  });

  it('can route to any node of the workflow and declare the same outputs', () => {
    const text = written({
      chain: [
        '{id: work, prompt: x, outputs: [CHANGES], on_status: {odd: {insert: f}}}',
        '{id: l, over: items, body: [{id: inner, prompt: x, on_status: {odd: {insert: g}}}]}',
      ],
      fragments: [
        'f: {nodes: [{id: mend, prompt: x, outputs: [CHANGES], on_fail: {default: {retry_step: work}, odd: {goto: inner}}}]}',
        'g: {nodes: [{id: more, prompt: "{{item.key}}", on_fail: {default: {goto: inner, budget: rejections}}, on_status: {odd: {insert: h}}}]}',
        'h: {nodes: [{id: most, prompt: "{{item.key}}", on_timeout: cancel_item}]}',
      ],
    });
    expect(problemsOf(load(text))).toEqual([]);
  });

  it('counts as used when another fragment repeats its nodes', () => {
    const text = written({
      chain: ['{id: work, prompt: x, on_status: {odd: {insert: g}}}'],
      fragments: ['f: {nodes: [{id: mend, prompt: x}]}', 'g: {nodes: [{again: mend}]}'],
    });
    expect(problemsOf(load(text))).toEqual([]);
  });

  it('counts as used, and as inserted into items, when an argument names its node', () => {
    const text = written({
      chain: ['{id: l, over: items, body: [{id: a, prompt: x, on_status: {odd: {insert: f, args: [mend]}}}]}'],
      fragments: ['f: {params: [stage], nodes: [{again: $stage}]}', 'g: {nodes: [{id: mend, prompt: "{{item.key}}"}]}'],
    });
    expect(problemsOf(load(text))).toEqual([]);
  });

  it('checks the node that a parameter names through several insertions', () => {
    const handOn = (from: string, to: string) =>
      `${from}: {params: [p], nodes: [{id: ask-${from}, kind: human, on_answer: {skip: {insert: ${to}, args: [$p]}}}]}`;
    const { text, place } = marked(
      written({
        chain: [work, gate('on: {fix: {insert: a, args: [^^wokr]}}')],
        fragments: [handOn('a', 'b'), handOn('b', 'c'), handOn('c', 'd'), 'd: {params: [p], nodes: [{again: $p}]}'],
      }),
    );
    expect(problemsOf(load(text))).toEqual([
      `flow.yaml:${place}: "a" repeats its p, but there is no node "wokr"; did you mean "work"?`,
    ]);
  });

  it('can pass its parameters on', () => {
    const text = written({
      chain: [work, gate('on: {fix: {insert: a, args: [work, gate]}}')],
      fragments: [
        'a: {params: [stage, next], nodes: [{id: ask, kind: human, on_answer: {continue: {insert: b, args: [$stage]}, skip: {insert: a, args: [$stage, $next]}}}]}',
        'b: {params: [stage], nodes: [{again: $stage}]}',
      ],
    });
    expect(problemsOf(load(text))).toEqual([]);
  });
});

describe('an invalid gate or fragment is refused with its position', () => {
  const withGate = (more: string, ...fragments: string[]) =>
    written({ chain: [work, gate(more)], fragments: fragments.length > 0 ? fragments : [fix] });
  const withFragment = (fragment: string) => withGate('on: {fix: {insert: f}}', fragment);

  it.each([
    {
      text: written({ chain: [work, '^^{id: gate, kind: decision}'] }),
      says: 'the decision "gate" lacks its evidence',
    },
    {
      text: written({ chain: [work, '^^{id: gate, kind: decision}'] }),
      says: 'the decision "gate" lacks its condition',
    },
    {
      text: written({ chain: [work, '^^{id: gate, kind: decision}'] }),
      says: 'the decision "gate" lacks the work to add when it fails',
    },
    {
      text: withGate('evidence: x, on: {}')
        .replace('evidence: x, ', '')
        .replace('evidence: a.json', 'evidence: []')
        .replace('- {id: gate', '- ^^{id: gate'),
      says: 'lacks its evidence',
    },
    {
      text: withGate('on: {fix: {insert: fix}}').replace('a.json', '^^../a.json'),
      says: '"evidence" of "gate" must be the path of a file inside the working folder',
    },
    { text: withGate('on: {fix: {insert: fix}}').replace('a.json', '^^/a.json'), says: 'inside the working folder' },
    {
      text: withGate('on: {fix: {insert: fix}}').replace('a.json', '^^{a: b}'),
      says: '"evidence" of "gate" must be text, not a map',
    },
    {
      text: withGate('on: {fix: {insert: fix}}').replace('a.json', '[a.json, ^^b/a.md?]'),
      says: '"a.json" and "b/a.md?" would both have the name "a"',
    },
    {
      text: withGate('on: {fix: {insert: fix}}').replace('"passed != true"', '^^"passed =="'),
      says: '"fail_when" of "gate" cannot be understood',
    },
    { text: withGate('on: {fix: ^^next}'), says: '"fix" of "gate" must add work: "{insert: the-name-of-a-fragment}"' },
    { text: withGate('on: {fix: ^^{goto: work}}'), says: '"fix" of "gate" must add work' },
    {
      text: withGate('on: {fix: {insert: fix, ^^clear: [x]}}'),
      says: '"clear" of "fix" of "gate" has no meaning together with "insert"',
    },
    { text: withGate('on: {fix: {insert: ^^[fix]}}'), says: '"insert" of "gate" must be text, not a list' },
    { text: withGate('on: {fix: {insert: fix}, ^^fail: next}'), says: 'unknown key "fail" in "on" of "gate"' },
    {
      text: withGate('on: {fix: {insert: fix}, pass: ^^next}'),
      says: '"pass" of "gate" must be a map of keys, not a text',
    },
    {
      text: withGate('on: {fix: {insert: fix}, pass: {^^insert: fix}}'),
      says: 'unknown key "insert" in "pass" of "gate"',
    },
    { text: withGate('on: ^^fix'), says: '"on" of "gate" must be a map of keys, not a text' },
    {
      text: withGate('max_retries: ^^2, on: {fix: {insert: fix}}'),
      says: '"gate" has max_retries but adds nothing when they are used up',
    },
    {
      text: withGate('max_retries: ^^many, on: {fix: {insert: fix}}'),
      says: '"max_retries" of "gate" must be a whole number from 0 to 100',
    },
    { text: withGate('on: {fix: {insert: ^^fxi}}'), says: 'there is no fragment "fxi" to insert; did you mean "fix"?' },
    { text: withGate('on: {fix: {insert: fix, args: ^^[work]}}'), says: '"fix" takes no args, but gets 1' },
    {
      text: withGate('on: {fix: ^^{insert: f}}', 'f: {params: [a, b], nodes: [{again: $a}]}'),
      says: '"f" takes 2 (a, b), but gets 0',
    },
    {
      text: withGate('on: {fix: {insert: f, args: [^^wokr]}}', 'f: {params: [a], nodes: [{again: $a}]}'),
      says: '"f" repeats its a, but there is no node "wokr"; did you mean "work"?',
    },
    {
      text: withGate(
        'on: {fix: {insert: f, args: [^^wokr]}}',
        'f: {params: [a], nodes: [{id: ask, kind: human, on_answer: {skip: {insert: g, args: [$a]}}}]}',
        'g: {params: [b], nodes: [{again: $b}]}',
      ),
      says: '"f" repeats its a, but there is no node "wokr"',
    },
    {
      text: withGate('on: {fix: {insert: f, args: [^^$a]}}', 'f: {params: [a], nodes: [{again: work, args: $a}]}'),
      says: '"$a" is outside a fragment, and only fragments have params',
    },
    {
      text: withFragment('f: {nodes: [{id: m, prompt: x, on_status: {odd: {insert: ^^constructor, args: [a]}}}]}'),
      says: 'there is no fragment "constructor" to insert',
    },
    {
      text: withFragment('f: {params: [stage], nodes: [{again: ^^$stgae}]}'),
      says: 'the fragment "f" has no param "$stgae"; did you mean "stage"?',
    },
    {
      text: withFragment('f: {nodes: [{again: work, args: ^^$what}]}'),
      says: 'the fragment "f" has no param "$what"',
    },
    {
      text: withFragment('f: {nodes: [{again: ^^wokr}]}'),
      says: 'there is no node "wokr" to repeat; did you mean "work"?',
    },
    {
      text: withFragment('f: {nodes: [{again: work, args: "^^{{item.kee}}"}]}'),
      says: 'nothing fills {{item.kee}} in the fragment "f"; did you mean "item.key"?',
    },
    { text: withFragment('f: {nodes: [{again: ^^[work]}]}'), says: '"again" of "f" must be text, not a list' },
    { text: withFragment('f: {nodes: [{again: work, ^^prompt: x}]}'), says: 'unknown key "prompt" in "0" of "f"' },
    {
      text: withFragment('f: {nodes: [{again: work, retry: ^^nxet}]}'),
      says: 'must be fresh, next, not a text; did you mean "next"?',
    },
    { text: withFragment('f: {nodes: [{again: work, when: ^^"("}]}'), says: 'cannot be understood' },
    { text: withFragment('f: {nodes: [^^work]}'), says: 'a node must be a map with an id' },
    { text: withFragment('f: {nodes: [{id: ^^work, prompt: x}]}'), says: 'two nodes have the id "work"' },
    {
      text: withFragment('f: {nodes: [{again: work}, {id: m, prompt: x, needs: [work, ^^gate]}]}'),
      says: '"m" needs "gate", which is not an earlier node of its chain',
    },
    {
      text: withFragment('f: {nodes: [{id: m, prompt: x, carry: ^^[y]}]}'),
      says: '"carry" of "f" must be a map of keys, not a list',
    },
    {
      text: withFragment('f: {nodes: [^^{id: m, over: items, body: [{id: n, prompt: x}]}]}'),
      says: 'a loop that only a fragment has ("m") is not supported yet',
    },
    { text: withFragment('f: {nodes: ^^[]}'), says: 'the fragment "f" has no list of nodes' },
    { text: withFragment('f: ^^{}'), says: 'the fragment "f" has no list of nodes' },
    { text: withFragment('f: ^^[x]'), says: '"f" of "fragments" must be a map of keys, not a list' },
    { text: withFragment('f: {^^node: []}'), says: 'unknown key "node" in "f" of "fragments"; did you mean "nodes"?' },
    {
      text: withFragment('f: {params: [^^a b], nodes: [{again: work}]}'),
      says: '"params" of "f" must be a list of plain words',
    },
    {
      text: withFragment('f: {params: [^^[a]], nodes: [{again: work}]}'),
      says: '"params" of "f" must be text, not a list',
    },
    {
      text: withGate('on: {fix: {insert: fix}}', fix, '^^1st one: {nodes: [{again: work}]}'),
      says: 'invalid fragment name',
    },
    {
      text: withGate('on: {fix: {insert: fix}}', fix, '^^idle: {nodes: [{again: work}]}'),
      says: 'no node inserts the fragment "idle"',
    },
    { text: 'workflow: mine\nchain: [{id: a, prompt: x}]\nfragments: ^^[fix]\n', says: '"fragments" must be a map' },
    {
      text: written({
        chain: ['{id: work, prompt: x, on_fail: {default: {goto: ^^mend}}, on_status: {odd: {insert: f}}}'],
        fragments: ['f: {nodes: [{id: mend, prompt: x}]}'],
      }),
      says: '"work" cannot go to "mend", which is only in a fragment',
    },
    {
      text: written({
        chain: ['{id: work, prompt: x, on_status: {odd: {insert: f}}}'],
        fragments: ['f: {nodes: [{id: mend, prompt: x, on_fail: {default: {goto: ^^mend}}}]}'],
      }),
      says: '"mend" goes to itself',
    },
    {
      text: written({
        chain: ['{id: work, prompt: x, on_status: {odd: {insert: f}}}'],
        fragments: ['f: {nodes: [{id: mend, prompt: "^^{{item.key}}"}]}'],
      }),
      says: '{{item.key}} in "mend" has no item',
    },
    {
      text: written({
        chain: ['{id: work, prompt: x, outputs: [], on_status: {odd: {insert: f, say: "^^{{nobody}}"}}}'],
        fragments: ['f: {nodes: [{again: work}]}'],
      }),
      says: 'nothing fills {{nobody}} in "work"',
    },
    {
      text: written({
        chain: ['{id: work, prompt: x, outputs: [], on_status: {odd: {insert: f, args: ["^^{{nobody}}"]}}}'],
        fragments: ['f: {params: [a], nodes: [{again: work, args: $a}]}'],
      }),
      says: 'nothing fills {{nobody}} in "work"',
    },
    {
      text: written({
        chain: ['{id: l, over: items, body: [{id: a, prompt: x, on_status: {odd: {insert: f}}}]}'],
        fragments: ['f: {nodes: [{again: ^^l}]}'],
      }),
      says: 'a loop within a loop ("l") is not supported yet',
    },
    {
      text: written({
        head: 'survey: s\n',
        chain: ['{id: l, over: phases, body: {use: p}}', gate('on: {fix: {insert: ^^p}}')],
        fragments: ['p: {nodes: [{id: a, prompt: x}]}'],
      }),
      says: '"p" is the body of a loop, so it cannot be inserted',
    },
    {
      text: written({ chain: ['{id: a, kind: human, on_answer: {^^later: next}}'] }),
      says: 'unknown key "later" in "on_answer" of "a"',
    },
    {
      text: written({ chain: ['{id: a, kind: human, on_answer: {skip: {goto: ^^b}}}'] }),
      says: '"a" goes to "b", and there is no such node',
    },
    {
      text: written({
        chain: ['{id: a, prompt: x, on_fail: {default: {goto: b, ^^reset: decision}}}', '{id: b, prompt: x}'],
      }),
      says: '"reset" is not supported yet',
    },
  ])('$says', ({ text: withMark, says }) => {
    const { text, place } = marked(withMark);
    const found = problemsOf(load(text)).filter((problem) => problem.includes(says));
    expect(found.map((problem) => problem.split(':', 3).join(':'))).toEqual([`flow.yaml:${place}`]);
  });
});

describe('a gate with several mistakes in a workflow file', () => {
  const judged = (more: string) =>
    flow('{id: work, prompt: x}', `{id: gate, kind: decision, ${more}}`).concat(
      'fragments: {mend: {nodes: [{again: work}]}}\n',
    );

  it.each([
    [
      'evidence: a.json, fail_when: "passed ==", on: {fix: {insert: mned}}',
      ['cannot be understood', '"mned" to insert'],
    ],
    ['evidence: a.json, on: {fix: {insert: mned}}', ['lacks its condition', '"mned" to insert']],
    ['fail_when: "a == 1", on: {fix: {insert: mned}}', ['lacks its evidence', '"mned" to insert']],
    [
      'evidence: a.json, fail_when: "a == 1", on: {escalate: {insert: mned}}',
      ['lacks the work to add', '"mned" to insert'],
    ],
    ['evidence: a.json, fail_when: "a ==", on: {fix: {insert: mend}}', ['cannot be understood']],
  ])('reports all of them at once: %s', (more, says) => {
    const found = problemsOf(load(judged(more)));
    for (const one of says) expect(found).toContainEqual(expect.stringContaining(one));
    expect(found.some((one) => one.includes('no node inserts'))).toBe(!more.includes('insert: mend'));
  });

  it('is refused for an on_pass of its own', () => {
    const sound = 'evidence: a.json, fail_when: "a == 1", on: {fix: {insert: mend}}';
    expect(problemsOf(load(judged(`${sound}, on_pass: finish`)))).toEqual([
      expect.stringContaining(
        '"on_pass" of the decision "gate" is never taken; write it on the node after the decision',
      ),
    ]);
  });
});
