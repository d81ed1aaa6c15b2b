import { describe, expect, it } from 'vitest';
import { flow, load, loaded, loadShipped, nodeOf, problemsOf } from './support.js';

const loop = 'type: loop, loop: {over: stories, verify_each: true, verify_step: verify}';
const steps = (implement: string, verify: string) =>
  flow(`{id: implement, input: i, ${implement}${loop}}`, `{id: verify, input: v, ${verify}}`);

const back = {
  type: 'goto',
  target: 'implement',
  budget: 'rejections',
  carry: { verify_feedback: 'ISSUES' },
  clear: [],
};
const again = { type: 'retry', budget: 'rejections' };

describe('an old loop step and its verify_step', () => {
  it('behave like implement and verify of feature-dev', () => {
    const old = `workflow: old
steps:
  - id: implement
    input: i
    type: loop
    loop: {over: stories, completion: all_done, freshSession: true, verifyEach: true, verifyStep: verify}
    expects: "STATUS: done"
    maxRetries: 2
  - id: verify
    input: v
    expects: "STATUS: done"
    on_fail: {retry_step: implement, max_retries: 2}
`;
    const workflow = loaded(load(old));
    const shipped = loadShipped('feature-dev');
    const rules = ({ maxAttempts, onPass, onFail, onStatus, freshSession }: ReturnType<typeof nodeOf>) => ({
      maxAttempts,
      onPass,
      onFail,
      onStatus,
      freshSession,
    });
    expect(rules(nodeOf(workflow, 'implement'))).toEqual(rules(nodeOf(shipped, 'implement')));
    expect(rules(nodeOf(workflow, 'verify'))).toEqual(rules(nodeOf(shipped, 'verify')));
    expect(nodeOf(workflow, 'verify').expects).toEqual(nodeOf(shipped, 'verify').expects);
    expect(nodeOf(workflow, 'stories').maxRejections).toBe(nodeOf(shipped, 'stories').maxRejections);
  });

  it.each([
    { verify: '' },
    { verify: 'on_fail: {retry_step: implement}' },
    { verify: 'on_fail: {default: implement}' },
    { verify: 'on_fail: {default: {goto: implement}}' },
    { verify: 'on_fail: implement' },
    { verify: 'on_fail: ' },
    { verify: 'next_on_fail: implement' },
    { verify: 'on_status: {retry: {retry_step: implement}}' },
    { verify: 'on_status: {retry: implement}' },
  ])('send a story back with the issues, however the retry is written: $verify', ({ verify }) => {
    const node = nodeOf(loaded(load(steps('', verify))), 'verify');
    expect(node.onStatus['retry']).toEqual(back);
    expect(node.onFail['default']).toEqual(back);
  });

  it.each([
    { implement: '' },
    { implement: 'on_fail: {escalate_to: human}, ' },
    { implement: 'on_fail: {max_retries: 4}, ' },
    { implement: 'next_on_fail: implement, ' },
  ])('charge a rejection when implementing fails: $implement', ({ implement }) => {
    const node = nodeOf(loaded(load(steps(implement, ''))), 'implement');
    expect(node).toMatchObject({ maxAttempts: 1, onFail: { default: again } });
  });

  it('keep routes by reason and on_exhausted', () => {
    const workflow = loaded(
      load(
        steps(
          'on_fail: {escalate_to: human, scope_warning: ask}, ',
          'on_fail: {retry_step: implement, max_retries: 7, on_exhausted: {escalate_to: human}}, on_status: {retry: implement, odd: ask}',
        ),
      ),
    );
    expect(nodeOf(workflow, 'implement')).toMatchObject({
      onFail: { default: again, scope_warning: { type: 'ask' } },
      onExhausted: 'ask',
    });
    expect(nodeOf(workflow, 'verify')).toMatchObject({
      onFail: { default: back },
      onStatus: { retry: back, odd: { type: 'ask' } },
      onExhausted: 'ask',
      maxLoops: 3,
    });
    expect(nodeOf(workflow, 'stories').maxRejections).toBe(7);
  });

  it.each([
    { implement: 'max_retries: 4, on_fail: {max_retries: 9}, ', verify: 'on_fail: {max_retries: 9}', rejections: 4 },
    { implement: 'on_fail: {max_retries: 5}, ', verify: 'on_fail: {max_retries: 9}', rejections: 5 },
    { implement: '', verify: 'on_fail: {maxRetries: 9}', rejections: 9 },
    { implement: '', verify: '', rejections: 2 },
  ])('take max_rejections from the nearest max_retries: $implement $verify', ({ implement, verify, rejections }) => {
    expect(nodeOf(loaded(load(steps(implement, verify))), 'stories').maxRejections).toBe(rejections);
  });

  it.each([
    { verify: 'expects: "STATUS: ok"', status: ['ok', 'retry'], keys: [] },
    { verify: 'expects: {keys: [VERIFIED]}', status: ['done', 'retry'], keys: ['VERIFIED'] },
    { verify: 'expects: {status: [yes, no]}', status: ['yes', 'no'], keys: [] },
    { verify: 'expects: "VERIFIED:"', status: null, keys: ['VERIFIED'] },
    { verify: '', status: ['done', 'retry'], keys: [] },
  ])('expect a verdict: $verify', ({ verify, status, keys }) => {
    expect(nodeOf(loaded(load(steps('', verify))), 'verify').expects).toMatchObject({ status, keys });
  });

  it('keep routes that the author set', () => {
    const text = flow(
      `{id: implement, input: i, max_attempts: 2, on_fail: ask, ${loop}}`,
      '{id: verify, input: v, on_fail: {default: ask, max_retries: 3}, on_status: {retry: {goto: implement, budget: loops}}}',
    );
    const workflow = loaded(load(text));
    expect(nodeOf(workflow, 'implement')).toMatchObject({ maxAttempts: 2, onFail: { default: { type: 'ask' } } });
    expect(nodeOf(workflow, 'verify').onFail).toEqual({ default: { type: 'ask' } });
    expect(nodeOf(workflow, 'verify').onStatus['retry']).toMatchObject({ budget: 'loops', carry: {} });
    const direct = steps('next_on_fail: verify, ', 'on_fail: {goto: verify2}');
    const other = loaded(load(direct.replace('goto: verify2', 'ask: true')));
    expect(nodeOf(other, 'verify').onFail).toEqual({ default: { type: 'ask' } });
    expect(nodeOf(other, 'implement').onFail).toMatchObject({ default: { type: 'goto', target: 'verify' } });
  });

  it('are recognised beside steps that are not maps', () => {
    const text = steps('', '').replace('chain:\n', 'chain:\n  - work\n');
    expect(problemsOf(load(text))).toEqual(['flow.yaml:3:5: a node must be a map with an id']);
  });

  it('are refused with a position when a route is a list', () => {
    expect(problemsOf(load(steps('', 'on_fail: [implement]')))).toEqual([
      'flow.yaml:4:37: "default" of "verify" must be a map of keys, not a list',
    ]);
  });
});
