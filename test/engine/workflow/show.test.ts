import { describe, expect, it } from 'vitest';
import { describeWorkflow, toMermaid } from '../../../src/engine/workflow/index.js';
import { flow, load, loaded, loadShipped } from './support.js';

describe('a workflow as a graph', () => {
  it('shows people as hexagons, checks as rounded boxes and ways back as dotted lines', () => {
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

  it('shows a loop as a frame around its body', () => {
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

  it('shows where decisions lead, on, back and to the end', () => {
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

describe('a workflow in words', () => {
  it('has a line for each node', () => {
    expect(describeWorkflow(loadShipped('quick'))).toBe(`quick 1: Quick
inputs: task (required)
- implement: task · 3 attempts · 30 min
- check: check · 3 attempts · 30 min · check {{project.check}} · tests · fail → implement
- review: a person · fail → implement
`);
  });

  it('indents what a loop holds', () => {
    const lines = describeWorkflow(loadShipped('micro-waterfall')).split('\n');
    expect(lines[1]).toBe('- story: for each item');
    expect(lines[2]).toBe('  - bdd: task · 3 attempts · 5 min');
    expect(lines).toContain('  - scaffold: task · 2 attempts · 5 min · tests must fail');
    expect(lines).toContain(
      '  - impl: task · 5 attempts · 10 min · check {{project.check}} · tests · constitution_violation → sdd-delta · needs_clarification → review · scope_warning → review',
    );
  });

  it('names roles, single attempts, odd time limits and what may not be skipped', () => {
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
});
