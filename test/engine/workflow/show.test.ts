import { describe, expect, it } from 'vitest';
import { describeWorkflow, toMermaid } from '../../../src/engine/workflow/index.js';
import { flow, goldenGraph, load, loaded, loadShipped, shippedNames } from './support.js';

describe('the graph of a workflow', () => {
  it.each(shippedNames)('matches the golden file of %s', (name) => {
    expect(toMermaid(loadShipped(name))).toBe(goldenGraph(name));
  });

  it('draws decisions as diamonds, insertions as dotted edges to frames, and parameters by name', () => {
    const text = `workflow: mine
chain:
  - {id: a, prompt: x, on_pass: {insert: f, args: [a]}, on_exhausted: {insert: g}, on_fail: {default: {insert: g}}}
  - {id: b, kind: decision, evidence: a.json, fail_when: "x", on: {fix: {insert: g}}}
fragments:
  f: {params: [stage], nodes: [{again: $stage}, {id: c, kind: check, on_pass: finish}, {again: b}]}
  g: {nodes: [{id: d, kind: human, on_answer: {continue: {goto: a}, skip: next}}]}
`;
    expect(toMermaid(loaded(load(text)))).toBe(`flowchart TD
  start([start])
  n1["a"]
  n2{"b"}
  done([done])
  subgraph f1["f (stage)"]
    f1_1["$stage"]
    n3(["c"])
    f1_3{"b again"}
  end
  subgraph f2["g"]
    n4{{"d"}}
  end
  start --> n1
  n1 -. "pass" .-> f1
  n1 -. "fail" .-> f2
  n1 -. "exhausted" .-> f2
  n2 --> done
  n2 -. "fix" .-> f2
  f1_1 --> n3
  n4 -. "continue" .-> n1
`);
  });

  it('describes how a loop runs its items, and draws its step types', () => {
    const text = flow(
      '{id: l, over: items, parallel: 2, isolate: worktree, on_item_done: {conflict: {insert: m, before: a}}, body: [{id: a, prompt: x}], step_types: {m: {prompt: x, on_fail: {default: {goto: a}}}}}',
    );
    const lines = toMermaid(loaded(load(text))).split('\n');
    expect(lines).toContain('  subgraph n1["l: for each item, 2 side by side, in worktrees"]');
    expect(lines).toContain('    n3["m"]');
    expect(lines.filter((line) => line.startsWith('  n3'))).toEqual([
      '  n3 -. "fail" .-> n2',
      '  n3 -. "conflict" .-> n2',
    ]);
  });

  it('draws human nodes as hexagons, checks as rounded boxes and backward routes dotted', () => {
    expect(toMermaid(loadShipped('quick'))).toBe(`flowchart TD
  start([start])
  n1["implement"]
  n2(["check"])
  n3{{"review"}}
  done([done])
  start --> n1
  n1 --> n2
  n2 --> n3
  n2 -. "fail" .-> n1
  n3 --> done
  n3 -. "fail" .-> n1
`);
  });

  it('draws a loop as a frame around its body', () => {
    const text = flow(
      '{id: l, title: The "work", over: items, body: [{id: a, prompt: x}, {id: b, prompt: x, on_status: {again: a}}]}',
      '{id: c, prompt: x}',
    );
    expect(toMermaid(loaded(load(text)))).toBe(`flowchart TD
  start([start])
  subgraph n1["The #quot;work#quot;: for each item"]
    n2["a"]
    n3["b"]
  end
  n4["c"]
  done([done])
  start --> n1
  n1 --> n4
  n4 --> done
  n2 --> n3
  n3 -. "again" .-> n2
`);
  });

  it('draws an edge for each decision value that leads on, back or to the end', () => {
    const text = flow(
      '{id: a, prompt: x, on_pass: {goto: b}}',
      '{id: b, prompt: x, decision_key: D, on_decision: {more: next, no: {goto: a}, enough: finish, stop: fail}}',
      '{id: c, prompt: x}',
    );
    const edges = toMermaid(loaded(load(text)))
      .split('\n')
      .filter((line) => line.includes('n1 -') || line.includes('n2 -'));
    expect(edges).toEqual([
      '  n1 -. "pass" .-> n2',
      '  n2 -- "more" --> n3',
      '  n2 -. "no" .-> n1',
      '  n2 -- "enough" --> done',
    ]);
  });
});

describe('the text description of a workflow', () => {
  it('has one line per node', () => {
    expect(describeWorkflow(loadShipped('quick'))).toBe(`quick 1: Quick
inputs: task (required)
- implement: task · 3 attempts · 30 min
- check: check · 3 attempts · 30 min · check {{project.check}} · tests · fail → implement
- review: a person · fail → implement
`);
  });

  it('indents the body of a loop', () => {
    const lines = describeWorkflow(loadShipped('micro-waterfall')).split('\n');
    expect(lines[1]).toBe('- story: for each item');
    expect(lines[2]).toBe('  - bdd: task · 3 attempts · 5 min');
    expect(lines).toContain('  - scaffold: task · 2 attempts · 5 min · tests must fail');
    expect(lines).toContain(
      '  - impl: task · 5 attempts · 10 min · check {{project.check}} · tests · constitution_violation → sdd-delta · needs_clarification → review · scope_warning → review',
    );
  });

  it('includes roles, single attempts, unusual timeouts and mandatory nodes', () => {
    const text = `workflow: mine
inputs: {repo: }
chain:
  - {id: a, role: dev, prompt: x, max_attempts: 1, timeout: 90s, mandatory: true, on_pass: {goto: b}}
  - {id: b, prompt: x, timeout: 2h, on_status: {odd: ask}}
`;
    expect(describeWorkflow(loaded(load(text)))).toBe(`mine 1
inputs: repo
- a: task by dev · 1 attempt · 90 s · mandatory · pass → b
- b: task · 3 attempts · 2 h · odd → ask
`);
    expect(describeWorkflow(loaded(load(flow('{id: a, prompt: x}'))))).toBe(
      'mine 1\n- a: task · 3 attempts · 30 min\n',
    );
  });

  it('includes gates, loops, teams and fragments', () => {
    const text = `workflow: mine
survey: .workflow
chain:
  - {id: l, over: phases, parallel: 2, isolate: worktree, when: "go", body: [{id: a, prompt: x, on_fail: {default: {retry: true, budget: rejections}}}], step_types: {m: {prompt: x, team: {roles: {api: {}, ui: {}}}}}}
  - {id: g, kind: decision, when: "x", evidence: [a.json, b.md?], fail_when: "a.bad", max_retries: 1, on: {fix: {insert: f}, escalate: {insert: e, args: [l]}}}
  - {id: h, kind: decision, evidence: survey, fail_when: "x", max_retries: 2, on: {fix: {insert: f}, escalate: {insert: f}}}
  - {id: i, kind: decision, evidence: c.json, fail_when: "x", on: {fix: {insert: f}}}
  - {id: z, prompt: x, on_exhausted: {insert: f}, on_status: {odd: {goto: g, budget: loops}}}
fragments:
  f: {nodes: [{again: g, retry: next, args: "--x", when: "y"}]}
  e: {params: [stage], nodes: [{again: $stage}, {id: p, kind: human, on_answer: {skip: next, abort: fail}}]}
`;
    expect(describeWorkflow(loaded(load(text)))).toBe(`mine 1
begins at the position that .workflow shows
- l: for each phase, 2 side by side, in worktrees · when go
  - a: task · 3 attempts · 30 min · may edit what follows · fail → retry (a rejection)
  - m: only when inserted · task · 3 attempts · 30 min · may edit what follows · team of api, ui
- g: decision on a.json, b.md if it exists · fails when a.bad · 1 retry · fix → insert f · escalate → insert e · when x
- h: decision on survey · fails when x · 2 retries · fix → insert f · escalate → insert f
- i: decision on c.json · fails when x · fix → insert f
- z: task · 3 attempts · 30 min · odd → g · exhausted → insert f
f: inserted
  - g again · --x · counts on · when y
e (stage): inserted
  - $stage again
  - p: a person · skip → next · abort → fail
`);
  });
});
