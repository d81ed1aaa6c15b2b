import { describe, expect, it } from 'vitest';
import { definitions, loadWorkflow } from '../../../src/engine/workflow/index.js';
import { nodesOf } from '../builders.js';
import { loadShipped, nodeOf, readShippedPrompt, shippedNames, shippedText, warningsOf } from './support.js';

const minutes = 60_000;

describe('the shipped workflows', () => {
  it.each(shippedNames)('%s loads without a problem or a warning', (name) => {
    const result = loadWorkflow({ file: `workflows/${name}.yaml`, text: shippedText(name) }, readShippedPrompt);
    expect(result.ok).toBe(true);
    expect(warningsOf(result)).toEqual([]);
  });

  it('micro-waterfall runs its eight nodes in order, in one loop', () => {
    const [story, ...others] = loadShipped('micro-waterfall').chain;
    expect(others).toEqual([]);
    expect(story).toMatchObject({ id: 'story', kind: 'loop' });
    const steps = ['bdd', 'sdd-delta', 'contract', 'review', 'scaffold', 'impl', 'verify', 'update-memory'];
    expect(story?.body.map((node) => node.id)).toEqual(steps);
  });

  it('micro-waterfall asks on timeout and exhaustion, requires reports and proposes the next story', () => {
    const { policy, chain } = loadShipped('micro-waterfall');
    expect(policy).toMatchObject({
      level: 'auto',
      report: 'required',
      afterStory: 'propose',
      onItemFailed: 'fail_run',
    });
    const tasks = (chain[0]?.body ?? []).filter((node) => node.kind === 'task');
    expect(tasks.map((node) => [node.onTimeout, node.onExhausted, node.abandons])).toEqual(
      tasks.map(() => ['ask', 'ask', 2]),
    );
  });

  const context = ['PROJECT_CONTEXT.md', 'PROJECT_MEMORY.md'];
  const bdd = 'docs/bdd/{{item.key}}.md';
  const delta = 'docs/deltas/{{item.key}}.md';
  const api = 'docs/api/openapi.yaml';

  it.each([
    { id: 'bdd', attempts: 3, min: 5, reads: context, writes: [bdd] },
    { id: 'sdd-delta', attempts: 3, min: 5, reads: [...context, bdd, 'docs/sdd.md'], writes: [delta] },
    { id: 'contract', attempts: 2, min: 5, reads: ['docs/sdd.md', delta, api], writes: [api] },
    { id: 'scaffold', attempts: 2, min: 5, reads: [bdd, 'docs/nfr.md', api], writes: ['*_test.go', '*.spec.ts'] },
    { id: 'impl', attempts: 5, min: 10, reads: ['docs/sdd.md', api], writes: ['*.go', '*.ts'] },
    { id: 'verify', attempts: 2, min: 5, reads: [bdd, delta, api, 'docs/constitution.md'], writes: [] },
    {
      id: 'update-memory',
      attempts: 2,
      min: 3,
      reads: ['PROJECT_MEMORY.md', '.ai/STATE.json'],
      writes: ['PROJECT_MEMORY.md'],
    },
  ])('micro-waterfall gives $id $attempts attempts and $min minutes', ({ id, attempts, min, reads, writes }) => {
    const node = nodeOf(loadShipped('micro-waterfall'), id);
    expect(node).toMatchObject({ kind: 'task', maxAttempts: attempts, timeoutMs: min * minutes, reads, writes });
    expect(node.prompt).toBe(readShippedPrompt(`prompts/micro-waterfall/${id}.md`));
  });

  it('micro-waterfall expects failing tests from scaffold and passing ones from impl and verify', () => {
    const { chain } = loadShipped('micro-waterfall');
    const facts = (chain[0]?.body ?? []).map((node) => [node.id, node.tests, node.expects.red, node.check]);
    expect(facts.filter(([, tests]) => tests !== null)).toEqual([
      ['scaffold', 'project', true, null],
      ['impl', 'project', false, '{{project.check}}'],
      ['verify', 'project', false, null],
    ]);
  });

  it('micro-waterfall routes failures by reason', () => {
    const workflow = loadShipped('micro-waterfall');
    const routes = (id: string) =>
      Object.fromEntries(
        Object.entries(nodeOf(workflow, id).onFail).map(([reason, one]) => [
          reason,
          one.type === 'goto' ? one.target : one.type,
        ]),
      );
    expect(routes('bdd')).toEqual({ default: 'retry' });
    expect(routes('impl')).toEqual({
      default: 'retry',
      constitution_violation: 'sdd-delta',
      needs_clarification: 'review',
      scope_warning: 'review',
    });
    expect(routes('review')).toEqual({
      default: 'bdd',
      needs_clarification: 'bdd',
      constitution_violation: 'sdd-delta',
      scope_warning: 'sdd-delta',
    });
    expect(routes('verify')).toEqual({ default: 'impl' });
    expect(nodeOf(workflow, 'verify').maxLoops).toBe(1);
  });

  it('quick sends a failed check back to the agent with the failures', () => {
    const workflow = loadShipped('quick');
    expect(workflow.chain.map((node) => [node.id, node.kind])).toEqual([
      ['implement', 'task'],
      ['check', 'check'],
      ['review', 'human'],
    ]);
    expect(nodeOf(workflow, 'check')).toMatchObject({
      tests: 'project',
      check: '{{project.check}}',
      onFail: { default: { type: 'goto', target: 'implement', carry: { check_failures: 'FAILURES' } } },
    });
    expect(nodeOf(workflow, 'implement').prompt).toContain('{{check_failures}}');
    expect(nodeOf(workflow, 'review').onFail['default']).toMatchObject({ type: 'goto', target: 'implement' });
    expect(workflow.inputs['task']).toEqual({ required: true, default: null });
  });

  it.each([
    { step: 'bdd', words: ['RFC 2119', 'MUST', '@unit', '[NEEDS CLARIFICATION', 'review_digest', 'questions'] },
    { step: 'sdd-delta', words: ['ADDED', 'MODIFIED', 'REMOVED', 'constitution_violation', 'scope_warning'] },
    { step: 'contract', words: ['OpenAPI', 'only the endpoints', 'review_digest', 'questions'] },
    { step: 'scaffold', words: ['fail', 'tag', 'non-functional', 'skeleton', 'nfr_missing'] },
    { step: 'impl', words: ['least code', 'refactor', 'needs_clarification', 'constitution_violation'] },
    { step: 'verify', words: ['Completeness', 'Correctness', 'Coherence', 'merge the delta'] },
    { step: 'update-memory', words: ['DONE', 'TESTS', 'LOG', 'NEXT', 'NOW', 'state file', 'NEXT_STORY: US-006'] },
  ])('the prompt of $step names what the step is about', ({ step, words }) => {
    const text = readShippedPrompt(`prompts/micro-waterfall/${step}.md`) ?? '';
    for (const word of words) expect(text).toContain(word);
  });

  it('feature-dev runs plan, implement and verify per story, test, pr and review', () => {
    const { chain, policy, limits, exports } = loadShipped('feature-dev');
    expect(chain.map((node) => node.id)).toEqual(['plan', 'stories', 'test', 'pr', 'review']);
    expect(chain[1]).toMatchObject({ kind: 'loop', maxRejections: 2, isolate: 'shared' });
    expect(chain[1]?.body.map((node) => node.id)).toEqual(['implement', 'verify']);
    expect(policy).toMatchObject({ onItemFailed: 'fail_run', afterStory: 'start' });
    expect(limits.items).toBe(20);
    expect(exports).toEqual(['state', 'progress']);
  });

  it('feature-dev has its limits and routes, and inserts rework after tests or review', () => {
    const workflow = loadShipped('feature-dev');
    const facts = nodesOf(workflow).flatMap((node) =>
      node.kind === 'loop'
        ? []
        : [[node.id, node.maxAttempts, node.abandons, node.onExhausted, node.timeoutMs / minutes]],
    );
    expect(facts).toEqual(
      ['plan', 'implement', 'verify', 'test', 'pr', 'review', 'rework'].map((id) => [
        id,
        id === 'implement' ? 1 : 3,
        5,
        'fail',
        30,
      ]),
    );
    const back = { type: 'goto', target: 'implement', budget: 'rejections', carry: { verify_feedback: 'ISSUES' } };
    expect(nodeOf(workflow, 'verify')).toMatchObject({ onStatus: { retry: back }, onFail: { default: back } });
    expect(nodeOf(workflow, 'test')).toMatchObject({
      maxLoops: 2,
      onStatus: { retry: { type: 'insert', fragment: 'test_fix', carry: { feedback: 'FAILURES' } } },
    });
    expect(nodeOf(workflow, 'review').onDecision).toMatchObject({
      approved: { type: 'finish' },
      changes_requested: { type: 'insert', fragment: 'review_fix', carry: { feedback: 'FEEDBACK' } },
    });
    const added = Object.values(workflow.fragments).map((one) => one.nodes.map((node) => node.template));
    expect(added).toEqual([
      ['rework', 'test'],
      ['rework', 'review'],
    ]);
    expect(Object.values(workflow.roles).map((role) => [role.id, role.access])).toEqual([
      ['planner', 'read'],
      ['developer', 'write'],
      ['verifier', 'exec'],
      ['tester', 'exec'],
      ['reviewer', 'read'],
    ]);
    expect(nodeOf(workflow, 'pr').prompt).toBe(readShippedPrompt('prompts/feature-dev/pr.md'));
  });

  it('compound-engineering decides at its review and fails when a budget is exhausted', () => {
    const workflow = loadShipped('compound-engineering');
    expect(workflow.chain.map((node) => [node.id, node.maxAttempts, node.abandons, node.onExhausted])).toEqual(
      ['brainstorm', 'plan', 'work', 'review', 'compound'].map((id) => [id, 3, 5, 'fail']),
    );
    expect(nodeOf(workflow, 'review')).toMatchObject({
      decisionKey: 'DECISION',
      maxLoops: 3,
      onDecision: {
        approved: { target: 'compound' },
        needs_fixes: { target: 'work' },
        rejected: { target: 'brainstorm' },
      },
    });
  });

  const ralph = [
    { id: 'context_gathering', min: 15, editable: false },
    { id: 'planning', min: 10, editable: true },
    { id: 'architecture', min: 10, editable: true },
    { id: 'test_architecture', min: 10, editable: true },
    { id: 'coding', min: 30, editable: true },
    { id: 'linting', min: 5, editable: false },
    { id: 'initial_testing', min: 20, editable: true },
    { id: 'review', min: 10, editable: true },
    { id: 'prune_tests', min: 10, editable: false },
    { id: 'final_review', min: 15, editable: true },
    { id: 'rebase_resolve', min: 15, editable: false },
  ];

  it.each([
    ['quick', 'implement'],
    ['micro-waterfall', 'impl'],
    ['feature-dev', 'implement'],
    ['compound-engineering', 'work'],
    ['dynamic-ralph', 'coding'],
  ])('%s has its coding step %s change something', (name, id) => {
    const held = nodesOf(loadShipped(name)).filter((node) => node.expects.changes === true);
    expect(held.map((node) => node.id)).toEqual([id]);
  });

  it('dynamic-ralph sets the timeout and edit right of each step, with one attempt each', () => {
    const workflow = loadShipped('dynamic-ralph');
    const steps = nodesOf(workflow).filter((node) => node.kind !== 'loop');
    expect(steps.map((node) => ({ id: node.id, min: node.timeoutMs / minutes, editable: node.editable }))).toEqual(
      ralph,
    );
    for (const node of steps) {
      expect(node).toMatchObject({
        maxAttempts: 1,
        abandons: 0,
        onExhausted: 'fail',
        onTimeout: 'cancel_item',
        maxRestarts: 3,
      });
    }
    expect(nodeOf(workflow, 'linting')).toMatchObject({
      mandatory: true,
      afterAny: ['coding'],
      check: '{{project.lint}}',
    });
    expect(nodeOf(workflow, 'final_review')).toMatchObject({ mandatory: true, pinLast: true, tests: 'project' });
    expect(nodeOf(workflow, 'rebase_resolve').insertBy).toBe('system');
  });

  it('dynamic-ralph runs three stories at once in worktrees that merge as one commit each', () => {
    const workflow = loadShipped('dynamic-ralph');
    expect(nodeOf(workflow, 'stories')).toMatchObject({
      parallel: 3,
      isolate: 'worktree',
      onItemDone: {
        squash: 'feat(ralph): {{item.key}} - {{item.title}}',
        conflict: { insert: 'rebase_resolve', before: 'final_review' },
      },
    });
    expect(workflow.policy.onItemFailed).toBe('continue');
    expect(workflow.limits.nodesPerItem).toBe(30);
  });

  it('lifecycle lists its stages in order with the commands they call', () => {
    const workflow = loadShipped('lifecycle');
    const calls = nodesOf(workflow).map((node) => [node.id, node.call, node.args, node.barrier, node.gate !== null]);
    const phase = '{{phase}}';
    expect(calls).toEqual([
      ['brainstorm', 'maestro-brainstorm', '{{task}}', true, false],
      ['init', 'maestro-init', null, false, false],
      ['roadmap', 'maestro-roadmap', '{{task}}', true, false],
      ['phases', null, null, false, false],
      ['analyze', 'maestro-analyze', phase, true, false],
      ['plan', 'maestro-plan', phase, true, false],
      ['execute', 'maestro-execute', phase, true, false],
      ['verify', 'maestro-verify', phase, false, false],
      ['post-verify', null, null, false, true],
      ['business-test', 'quality-business-test', phase, false, false],
      ['post-business-test', null, null, false, true],
      ['review', 'quality-review', phase, false, false],
      ['post-review', null, null, false, true],
      ['test-gen', 'quality-test-gen', phase, false, false],
      ['test', 'quality-test', phase, false, false],
      ['post-test', null, null, false, true],
      ['milestone-audit', 'maestro-milestone-audit', null, false, false],
      ['milestone-complete', 'maestro-milestone-complete', null, false, false],
      ['post-milestone', null, null, false, true],
      ['debug', 'quality-debug', '{{gap_summary}}', false, false],
      ['post-debug-escalate', null, null, false, false],
    ]);
  });

  it('lifecycle gives each stage one attempt of an hour, pauses after it, and sets which may run in parallel', () => {
    const workflow = loadShipped('lifecycle');
    for (const node of definitions(workflow).filter((one) => one.kind === 'task')) {
      expect(node).toMatchObject({
        maxAttempts: 1,
        abandons: 0,
        onExhausted: 'pause',
        onTimeout: 'pause',
        timeoutMs: 60 * minutes,
      });
    }
    expect(workflow.policy.stopAtDecisions).toBe('before');
    expect(workflow.limits).toEqual({
      items: 20,
      nodesPerItem: 250,
      dispatches: 500,
      perItem: 300,
      insertions: 500,
      costUsd: null,
    });
    const needs = ['verify', 'test', 'milestone-audit', 'post-verify'].map((id) => nodeOf(workflow, id).needs);
    expect(needs).toEqual([[], ['test-gen'], ['phases'], null]);
    expect(workflow.positions.map((one) => one.begin)).toHaveLength(15);
  });

  it("lifecycle inserts the repair stages of each gate's fragment", () => {
    const workflow = loadShipped('lifecycle');
    const added = Object.values(workflow.fragments).map((one) => [
      one.id,
      one.nodes
        .map((node) => [node.template, node.args, node.retry === 'next' ? '+1' : null].filter(Boolean).join(' '))
        .join(', '),
    ]);
    const gaps = 'plan --gaps {{phase}}, execute';
    expect(Object.fromEntries(added)).toEqual({
      fix: `debug, ${gaps}, verify, post-verify +1`,
      fix_business: `debug --from-business-test {{phase}}, ${gaps}, verify, post-verify, business-test, post-business-test +1`,
      fix_review: `debug {{block_issues}}, ${gaps}, verify, post-verify, review, post-review +1`,
      fix_test: `debug --from-uat {{phase}}, ${gaps}, verify, post-verify, business-test, post-business-test, review, post-review, test-gen, test, post-test +1`,
      escalate: 'debug $problem, post-debug-escalate',
      recheck: '$stage, $gate',
      milestone: 'phases, milestone-audit, milestone-complete, post-milestone',
    });
  });
});
