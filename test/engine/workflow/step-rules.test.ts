import { describe, expect, it } from 'vitest';
import { applyStepRules } from '../../../src/engine/workflow/index.js';
import { flow, load, loaded, loadShipped, marked, nodeOf, problemsOf, warningsOf } from './support.js';

const file = '.ai/step-rules.yaml';
const waterfall = loadShipped('micro-waterfall');
const apply = (text: string) => applyStepRules(waterfall, { file, text });

describe('the step rules of a project', () => {
  it.each([
    'impl: {max_attempts: 1, check: npm run lint}',
    'steps:\n  impl: {max_attempts: 1, post_check: npm run lint}',
  ])('change only the fields that they name: %s', (text) => {
    const before = nodeOf(waterfall, 'impl');
    const after = loaded(apply(text));
    expect(nodeOf(after, 'impl')).toEqual({ ...before, maxAttempts: 1, check: 'npm run lint' });
    expect(nodeOf(after, 'bdd')).toEqual(nodeOf(waterfall, 'bdd'));
    expect(nodeOf(waterfall, 'impl').maxAttempts).toBe(5);
  });

  it.each(['', '# nothing yet\n', 'steps:\n', 'impl:\n', '{}'])('change nothing when empty: %j', (text) => {
    expect(loaded(apply(text))).toEqual(waterfall);
  });

  it.each([
    'dispatch_mode: {S: single, M: single, L: team}\nsteps:\n  impl: {team_roles: {api: {}}}\n  verify: {timeout_min: 1}',
    'dispatch_mode: {S: single, M: single, L: team}\nimpl: {team_roles: {api: {}}}\nverify: {timeout_min: 1}',
  ])('can set dispatch_mode once for all steps with a team: %j', (text) => {
    const rules = loaded(apply(text));
    expect(nodeOf(rules, 'impl').team?.mode).toEqual({ S: 'single', M: 'single', L: 'team' });
    expect(nodeOf(rules, 'verify')).toMatchObject({ team: null, timeoutMs: 60_000 });
  });

  it("keep a step's own dispatch_mode", () => {
    const text = 'dispatch_mode: {M: team}\nsteps:\n  impl: {dispatch_mode: {M: single}, team_roles: {api: {}}}';
    const warnings = warningsOf(apply(text));
    expect(nodeOf(loaded(apply(text)), 'impl').team?.mode.M).toBe('single');
    expect(warnings).toEqual([`${file}:1:1: "dispatch_mode" has no effect: no step of these rules has "team_roles"`]);
  });

  it('can use old spellings', () => {
    const text = `
bdd:
  next_on_pass: sdd-delta
  next_on_fail: bdd
  timeout_min: 20
  claude_reads: [GLOSSARY.md]
  claude_writes: ["docs/bdd/US-{story}.md"]
update-memory: {next_on_pass: done}
review: {requires_human: true}
`;
    const rules = loaded(apply(text));
    expect(nodeOf(rules, 'bdd')).toMatchObject({
      onPass: { type: 'goto', target: 'sdd-delta' },
      onFail: { default: { type: 'retry' } },
      timeoutMs: 1_200_000,
      reads: ['GLOSSARY.md'],
      writes: ['docs/bdd/{{item.key}}.md'],
    });
    expect(nodeOf(rules, 'update-memory').onPass).toEqual({ type: 'finish' });
  });

  it('merge routes reason by reason', () => {
    const { onFail } = nodeOf(loaded(apply('impl: {on_fail: {scope_warning: bdd}}')), 'impl');
    expect(onFail).toMatchObject({
      default: { type: 'retry' },
      constitution_violation: { type: 'goto', target: 'sdd-delta' },
      scope_warning: { type: 'goto', target: 'bdd' },
    });
  });

  it('apply to nodes outside loops too', () => {
    const own = loaded(load(flow('{id: a, prompt: x}', '{id: b, prompt: x}')));
    const rules = loaded(
      applyStepRules(own, {
        file,
        text: 'b: {rollback: true, needs: [a], outputs: [SUMMARY], expects: {keys: [PR_URL]}}',
      }),
    );
    expect(nodeOf(rules, 'b')).toMatchObject({ rollback: true, outputs: ['SUMMARY', 'PR_URL'] });
  });

  it.each(
    [
      { text: '^^imlp: {max_attempts: 1}', says: 'there is no step "imlp" in micro-waterfall; did you mean "impl"?' },
      { text: 'impl: {^^max_attemps: 1}', says: 'unknown key "max_attemps" in "impl"; did you mean "max_attempts"?' },
      {
        text: 'impl: {max_attempts: ^^none}',
        says: '"max_attempts" of "impl" must be a whole number from 1 to 100, not a text',
      },
      { text: 'impl: {on_fail: {default: ^^desing}}', says: '"impl" goes to "desing", and there is no such node' },
      { text: 'impl: {next_on_fail: ^^desing}', says: '"impl" goes to "desing", and there is no such node' },
      {
        text: 'steps:\n  impl:\n    next_on_pass: ^^reveiw\n',
        says: '"impl" goes to "reveiw", and there is no such node; did you mean "review"?',
      },
      { text: '^^- impl', says: 'step rules must be a map of steps: "impl: {max_attempts: 1}"' },
      { text: 'steps: ^^[impl]', says: 'step rules must be a map of steps: "impl: {max_attempts: 1}"' },
      { text: '^^steps: {}\nimpl: {}', says: 'there is no step "steps" in micro-waterfall' },
      { text: 'impl: ^^5', says: 'the rules of "impl" must be a map of keys' },
      { text: 'impl: {^^id: implement}', says: 'a rule cannot change "id" of "impl"' },
      { text: 'story: {^^over: items}', says: 'a rule cannot change "over" of "story"' },
      { text: 'impl: {kind: ^^loop}', says: 'a rule cannot turn "impl" into a loop node' },
      { text: 'story: {kind: ^^task}', says: 'a rule cannot turn "story" into a task node' },
      { text: 'review: {kind: ^^check, check: "true"}', says: 'a rule cannot turn "review" into a check node' },
      { text: 'review: {kind: ^^task, prompt: Look.}', says: 'a rule cannot turn "review" into a task node' },
      { text: 'contract: {requires_human: ^^true}', says: 'a rule cannot turn "contract" into a human node' },
      { text: 'bdd: {needs: [^^impl]}', says: '"bdd" needs "impl", which is not an earlier node of its chain' },
      { text: 'impl: "x^^', says: 'missing closing "quote' },
      {
        text: 'impl: {check: "make ^^{{project.chek}}"}',
        says: 'nothing fills {{project.chek}} in "impl"; did you mean "project.check"?',
      },
    ].filter((one) => one.says !== ''),
  )('are refused as a whole: $says', ({ text: withMark, says }) => {
    const { text, place } = marked(withMark);
    const found = problemsOf(apply(text));
    expect(found.filter((one) => one.includes(says)).map((one) => one.split(':', 3).join(':'))).toEqual([
      `${file}:${place}`,
    ]);
  });

  it('apply to step types, fragment nodes and gates', () => {
    const lifecycle = loadShipped('lifecycle');
    const text = `
post-verify: {max_retries: 5, fail_when: "len(gaps) > 3"}
post-review: {kind: decision, max_retries: 1}
debug: {timeout: 5m, args: "--deep {{gap_summary}}", needs: []}
post-debug-escalate: {on_answer: {skip: fail}}
milestone-complete: {needs: [roadmap]}
execute: {needs: [plan]}
`;
    const rules = loaded(applyStepRules(lifecycle, { file, text }));
    const before = nodeOf(lifecycle, 'post-verify').gate;
    expect(nodeOf(rules, 'post-verify').gate).toEqual({
      ...before,
      maxRetries: 5,
      failWhen: expect.objectContaining({ text: 'len(gaps) > 3' }),
    });
    expect(nodeOf(rules, 'post-review').gate?.maxRetries).toBe(1);
    expect(nodeOf(rules, 'debug')).toMatchObject({ timeoutMs: 300_000, args: '--deep {{gap_summary}}', needs: [] });
    expect(nodeOf(rules, 'post-debug-escalate').onAnswer).toMatchObject({
      continue: { type: 'insert', fragment: 'recheck' },
      skip: { type: 'fail' },
    });
    expect(nodeOf(rules, 'milestone-complete').needs).toEqual(['roadmap']);
    expect(nodeOf(rules, 'execute').needs).toEqual(['plan']);
    const ralph = loadShipped('dynamic-ralph');
    const merging = loaded(applyStepRules(ralph, { file, text: 'rebase_resolve: {timeout: 1m, needs: [coding]}' }));
    expect(nodeOf(merging, 'rebase_resolve')).toMatchObject({
      timeoutMs: 60_000,
      needs: ['coding'],
      insertBy: 'system',
    });
  });

  it('cannot add answers to a task, or turn a gate into a task', () => {
    const rules = loaded(apply('impl: {on_answer: {skip: next}}'));
    expect(nodeOf(rules, 'impl').onAnswer).toBeNull();
    expect(problemsOf(applyStepRules(loadShipped('lifecycle'), { file, text: 'post-verify: {kind: task}' }))).toEqual([
      `${file}:1:21: a rule cannot turn "post-verify" into a task node`,
    ]);
  });

  it.each([
    { text: 'rebase_resolve: {needs: [^^nobody]}', says: '"rebase_resolve" needs "nobody"' },
    { text: 'rebase_resolve: {^^insert_by: anyone}', says: 'a rule cannot change "insert_by" of "rebase_resolve"' },
    { text: 'coding: {^^access: read}', says: 'a rule cannot change "access" of "coding"' },
    { text: 'stories: {isolate: shared, parallel: ^^2}', says: 'a checkout can have only one writer' },
    { text: 'coding: {on_exhausted: {insert: ^^fix}}', says: 'there is no fragment "fix" to insert' },
  ])('are refused with their position: $says', ({ text: withMark, says }) => {
    const { text, place } = marked(withMark);
    const found = problemsOf(applyStepRules(loadShipped('dynamic-ralph'), { file, text }));
    expect(found.filter((one) => one.includes(says)).map((one) => one.split(':', 3).join(':'))).toEqual([
      `${file}:${place}`,
    ]);
  });

  it('are refused when they make a step unreachable, at line 1 if no rule names that step', () => {
    expect(problemsOf(apply('impl: {on_pass: finish}'))).toEqual([
      `${file}:1:1: "verify" is never reached: every route before it ends or skips it`,
      `${file}:1:1: "update-memory" is never reached: every route before it ends or skips it`,
    ]);
  });

  it('can repeat the kind that a step already has', () => {
    expect(nodeOf(loaded(apply('review: {requires_human: true}')), 'review').kind).toBe('human');
  });
});
