import { describe, expect, it } from 'vitest';
import { flow, load, loaded, marked, nodeOf, problemsOf } from './support.js';

const inHead = (head: string) => `workflow: mine\n${head}\nchain: [{id: a, prompt: x}, {id: b, prompt: x}]\n`;
const inNode = (more: string) => flow('{id: z, prompt: x}', `{id: a, prompt: x, ${more}}`, '{id: b, prompt: x}');

describe('old spellings in a workflow file', () => {
  it.each([
    { old: inHead('polling: {timeoutSeconds: 1800}'), now: inHead('timeout: 30m') },
    { old: inHead('polling: {timeoutSeconds: 120}'), now: inHead('timeout: 2m') },
    { old: inHead('polling: {model: default, timeoutSeconds: 600}'), now: inHead('timeout: 10m') },
    { old: inHead('polling: {model: default, timeoutSeconds: 120}'), now: inHead('title: mine') },
    { old: inHead('cron: {interval_ms: 60000}'), now: inHead('policy: {poll_ms: 60000}') },
    {
      old: inHead('cron: {interval_ms: 60000}\npolicy: {level: auto}'),
      now: inHead('policy: {poll_ms: 60000, level: auto}'),
    },
    { old: inHead('name: My flow'), now: inHead('title: My flow') },
    { old: 'id: mine\nsteps: [{id: a, prompt: x}]', now: 'workflow: mine\nchain: [{id: a, prompt: x}]' },
    {
      old: inHead('policy: {pollMs: 5000, onItemFailed: continue}'),
      now: inHead('policy: {poll_ms: 5000, on_item_failed: continue}'),
    },
    { old: flow('{id: a, input: x}'), now: flow('{id: a, prompt: x}') },
    { old: flow('{id: a, agent: dev, prompt: x}'), now: flow('{id: a, role: dev, prompt: x}') },
    { old: flow('{id: a, prompt: x, type: single}'), now: flow('{id: a, prompt: x}') },
    { old: flow('{id: a, prompt: x, type: check}'), now: flow('{id: a, prompt: x, kind: check}') },
    { old: inNode('name: Step'), now: inNode('title: Step') },
    { old: inNode('output_keys: [SUMMARY]'), now: inNode('outputs: [SUMMARY]') },
    { old: inNode('outputKeys: [SUMMARY]'), now: inNode('outputs: [SUMMARY]') },
    { old: inNode('maxAttempts: 4'), now: inNode('max_attempts: 4') },
    { old: inNode('max_retries: 4'), now: inNode('max_attempts: 5') },
    { old: inNode('maxRetries: 0'), now: inNode('max_attempts: 1') },
    {
      old: inNode('max_retries: 4, decision_key: DECISION, on_decision: {yes: {next_step: b}, no: {retry_step: z}}'),
      now: inNode('max_loops: 4, decision_key: DECISION, on_decision: {yes: {goto: b}, no: {goto: z}}'),
    },
    {
      old: inNode('on_decision: {yes: next, no: {retry_step: z, clear_context: [task]}}, decision_key: D'),
      now: inNode('on_decision: {yes: next, no: {goto: z, clear: [task]}}, decision_key: D'),
    },
    { old: inNode('on_status: {odd: {escalate_to: human}}'), now: inNode('on_status: {odd: ask}') },
    { old: inNode('expects: "STATUS: done"'), now: inNode('expects: {status: done}') },
    { old: inNode('expects: "PR_URL:"'), now: inNode('expects: {keys: [PR_URL]}') },
    { old: inNode('expects: "PLAN: some words"'), now: inNode('expects: {keys: [PLAN]}') },
    { old: inNode('expects: "STATUS:"'), now: inNode('expects: {keys: [STATUS]}') },
    { old: inNode('on_exhausted: {escalate_to: human}'), now: inNode('on_exhausted: ask') },
    { old: inNode('on_fail: {escalate_to: human}'), now: inNode('on_exhausted: ask') },
    {
      old: inNode('dispatch_mode: {M: team}, team_roles: {api: {claude_reads: [a.md], claude_writes: ["src/**"]}}'),
      now: inNode('team: {mode: {M: team}, roles: {api: {reads: [a.md], writes: ["src/**"]}}}'),
    },
    { old: inNode('team_roles: {api: }').replace('api: ', 'api: {}'), now: inNode('team: {roles: {api: {}}}') },
    { old: inNode('dispatchMode: team'), now: inNode('team: {mode: team}') },
    { old: inNode('on_fail: {max_retries: 1}'), now: inNode('max_attempts: 2') },
    {
      old: inNode('on_fail: {retry_step: z, max_retries: 2, on_exhausted: {escalate_to: human}}'),
      now: inNode('on_fail: {default: {goto: z, carry: {verify_feedback: ISSUES}}}, max_loops: 2, on_exhausted: ask'),
    },
    {
      old: inNode('on_fail: {retry_step: z, carry: {found: FAILURES}}'),
      now: inNode('on_fail: {default: {goto: z, carry: {found: FAILURES}}}'),
    },
    { old: inNode('on_fail: {goto: z, budget: loops}'), now: inNode('on_fail: {default: {goto: z, budget: loops}}') },
    { old: inNode('on_fail: ask'), now: inNode('on_fail: {default: ask}') },
    { old: inNode('next_on_fail: z'), now: inNode('on_fail: {default: {goto: z}}') },
    { old: inNode('next_on_fail: a'), now: inNode('on_fail: {default: retry}') },
    {
      old: inNode('next_on_fail: a, on_fail: {scope_warning: z}'),
      now: inNode('on_fail: {default: retry, scope_warning: {goto: z}}'),
    },
    { old: inNode('next_on_pass: b'), now: inNode('on_pass: {goto: b}') },
    {
      old: flow('{id: a, prompt: x, goto: b}', '{id: b, prompt: x}'),
      now: flow('{id: a, prompt: x, on_pass: {goto: b}}', '{id: b, prompt: x}'),
    },
    { old: flow('{id: a, prompt: x, next_on_pass: done}'), now: flow('{id: a, prompt: x, on_pass: finish}') },
    { old: inNode('timeout_min: 5'), now: inNode('timeout: 5m') },
    { old: inNode('timeoutSeconds: 600'), now: inNode('timeout: 10m') },
    {
      old: inNode('claude_reads: [a.md], claude_writes: [b.md], post_check: make'),
      now: inNode('reads: [a.md], writes: [b.md], check: make'),
    },
    { old: inNode('requires_human: false'), now: inNode('kind: task') },
    {
      old: flow('{id: a, prompt: x}', '{id: r, requires_human: true, next_on_fail: a}'),
      now: flow('{id: a, prompt: x}', '{id: r, kind: human, on_fail: {default: {goto: a}}}'),
    },
    {
      old: flow('{id: l, over: items, max_retries: 1, body: [{id: a, prompt: x}]}'),
      now: flow('{id: l, over: items, max_rejections: 1, body: [{id: a, prompt: x}]}'),
    },
  ])('load like the current one: $old', ({ old, now }) => {
    expect(problemsOf(load(old))).toEqual([]);
    expect(loaded(load(old))).toEqual(loaded(load(now)));
  });

  it('turn a list of agents into roles with their timeouts', () => {
    const text =
      'id: mine\nagents:\n  - {id: dev, name: Developer, prompt: dev.md, timeoutSeconds: 600}\nsteps: [{id: a, agent: dev}]\n';
    const workflow = loaded(load(text, { 'dev.md': 'You build.' }));
    expect(workflow.roles).toEqual({ dev: { id: 'dev', prompt: 'You build.', executor: null, access: null } });
    expect(workflow.chain[0]?.timeoutMs).toBe(600_000);
  });

  it('turn a loop step and its verify_step into a loop with a body', () => {
    const verify = '{id: verify, input: v, on_status: {retry: {retry_step: implement}}}';
    const old = `workflow: mine
steps:
  - {id: plan, input: p}
  - id: implement
    input: i
    type: loop
    max_retries: 4
    loop: {over: stories, completion: all_done, freshSession: true, verifyEach: true, verifyStep: verify}
  - ${verify}
  - {id: test, input: t}
`;
    const workflow = loaded(load(old));
    expect(workflow.chain.map((node) => node.id)).toEqual(['plan', 'stories', 'test']);
    expect(nodeOf(workflow, 'stories')).toMatchObject({ kind: 'loop', maxRejections: 4 });
    expect(nodeOf(workflow, 'stories').body.map((node) => node.id)).toEqual(['implement', 'verify']);
    expect(nodeOf(workflow, 'implement').maxAttempts).toBe(1);
  });

  it('add no verification when verify_each is not set', () => {
    const text = flow(
      '{id: a, input: x, type: loop, maxRetries: 1, loop: {over: stories, verify_each: false}}',
      '{id: b, input: x}',
    );
    const workflow = loaded(load(text));
    expect(workflow.chain.map((node) => [node.id, node.body.map((one) => one.id)])).toEqual([
      ['stories', ['a']],
      ['b', []],
    ]);
    expect(workflow.chain[0]?.maxRejections).toBe(1);
    expect(loaded(load(flow('{id: a, input: x, type: loop, loop: {over: items}}'))).chain[0]?.maxRejections).toBe(2);
  });

  it('allow type: loop on a loop with a body', () => {
    expect(loaded(load(flow('{id: l, type: loop, over: items, body: [{id: a, prompt: x}]}'))).chain[0]?.kind).toBe(
      'loop',
    );
  });
});

describe('an invalid old spelling is refused with its position', () => {
  it.each([
    {
      text: flow('^^{id: a, input: x, type: loop}'),
      says: 'the step "a" has type loop but no "loop" with its "over"',
    },
    {
      text: flow('{id: a, input: x, type: loop, ^^loop: stories}'),
      says: 'the step "a" has type loop but no "loop" with its "over"',
    },
    { text: flow('^^{input: x, type: loop}'), says: 'the step "" has type loop but no "loop" with its "over"' },
    {
      text: flow('{id: a, input: x, type: loop, loop: {over: ^^files}}'),
      says: '"over" of "stories" must be items, stories, phases, not a text',
    },
    {
      text: flow('^^{id: a, input: x, type: loop, loop: {}}'),
      says: 'the loop "stories" lacks "over", such as "over: items"',
    },
    {
      text: flow('{id: a, input: x, type: loop, loop: {over: stories, completion: ^^any_done}}'),
      says: 'completion must be all_done',
    },
    {
      text: flow('{id: a, input: x, type: loop, loop: {over: stories, ^^verify_each: true}}'),
      says: 'the loop of "a" has verify_each but no verify_step',
    },
    {
      text: flow('{id: a, input: x, type: loop, loop: {over: stories, verify_each: true, verify_step: ^^b}}'),
      says: 'verify_step "b" of "a" is not another step',
    },
    {
      text: flow('{id: a, input: x, type: loop, loop: {over: stories, verify_each: true, verify_step: ^^a}}'),
      says: 'verify_step "a" of "a" is not another step',
    },
    {
      text: flow('{id: a, input: x, type: loop, loop: {over: stories, verify_each: true, verify_step: ^^[a]}}'),
      says: 'verify_step "" of "a" is not another step',
    },
    {
      text: flow('{id: a, input: x, type: loop, loop: {over: stories, ^^untill: done}}'),
      says: 'unknown key "untill" in "stories"',
    },
    {
      text: flow('{id: a, prompt: x, max_retries: ^^many}'),
      says: '"max_attempts" of "a" must be a whole number from 1 to 100, not a text',
    },
    {
      text: flow('{id: a, prompt: x, requires_human: ^^yes}'),
      says: '"kind" of "a" must be task, check, human, decision, loop, not a text',
    },
    {
      text: flow('{id: a, prompt: x, timeout_min: ^^soon}'),
      says: '"timeout" of "a" must be a time such as 30m, 90s or 1h, not a text',
    },
    {
      text: flow('{id: a, prompt: x, timeout_min: 5, ^^timeout: 5m}'),
      says: '"timeout" is given twice: as "timeout_min" and as "timeout"',
    },
    {
      text: flow('{id: a, prompt: x, on_status: {odd: {escalate_to: ^^manager}}}'),
      says: '"ask" of "odd" of "a" can only be true',
    },
    {
      text: flow('{id: a, prompt: x, dispatch_mode: {S: ^^singel}}'),
      says: '"S" of "a" must be single, auto, team, not a text; did you mean "single"?',
    },
    { text: flow('{id: a, prompt: x, next_on_fail: ^^b}'), says: '"a" goes to "b", and there is no such node' },
    {
      text: 'workflow: mine\npolling: {^^every: 5}\nchain: [{id: a, prompt: x}]\n',
      says: 'unknown key "every"',
    },
    {
      text: 'workflow: mine\npolling: ^^[5]\nchain: [{id: a, prompt: x}]\n',
      says: '"timeout" must be a time such as 30m, 90s or 1h, not a list',
    },
    {
      text: 'workflow: mine\nagents: ^^five\nchain: [{id: a, prompt: x}]\n',
      says: '"roles" must be a map of keys, not a text',
    },
    {
      text: 'workflow: mine\nagents: [^^five]\nchain: [{id: a, prompt: x}]\n',
      says: '"" of "roles" must be a map of keys, not a text',
    },
    {
      text: 'workflow: mine\nagents: [{name: five, ^^wibble: 1}]\nchain: [{id: a, prompt: x}]\n',
      says: 'unknown key "wibble"',
    },
    {
      text: flow('{id: a, prompt: x, on_exhausted: ^^{}}'),
      says: '"on_exhausted" of "a" must be ask, fail, pause, not a map',
    },
  ])('$says', ({ text: withMark, says }) => {
    const { text, place } = marked(withMark);
    const found = problemsOf(load(text));
    const places = found.filter((one) => one.includes(says)).map((one) => one.split(':', 3).join(':'));
    expect(places, `reported: ${found.join('; ')}`).toEqual([`flow.yaml:${place}`]);
  });

  it('an empty on_fail keeps the default route', () => {
    expect(loaded(load(flow('{id: a, prompt: x, on_fail: {}}'))).chain[0]?.onFail).toEqual({
      default: { type: 'retry', budget: 'attempts' },
    });
  });
});
