import { describe, expect, it } from 'vitest';
import { loadWorkflow } from '../../../src/engine/workflow/index.js';
import { loadShipped, nodeOf, readShippedPrompt, shippedText, warningsOf } from './support.js';

const minutes = 60_000;

describe('the shipped workflows', () => {
  it.each(['micro-waterfall', 'quick'])('%s loads without a problem or a warning', (name) => {
    const result = loadWorkflow({ file: `workflows/${name}.yaml`, text: shippedText(name) }, readShippedPrompt);
    expect(result.ok).toBe(true);
    expect(warningsOf(result)).toEqual([]);
  });

  it('micro-waterfall has the nodes that it promises, in their order', () => {
    const [story, ...others] = loadShipped('micro-waterfall').chain;
    expect(others).toEqual([]);
    expect(story).toMatchObject({ id: 'story', kind: 'loop' });
    const steps = ['bdd', 'sdd-delta', 'contract', 'review', 'scaffold', 'impl', 'verify', 'update-memory'];
    expect(story?.body.map((node) => node.id)).toEqual(steps);
  });

  it('micro-waterfall asks on an expired time limit and on a spent budget, needs reports and proposes the next story', () => {
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

  it('micro-waterfall wants red tests from scaffold, green ones from impl and verify, and checks impl', () => {
    const { chain } = loadShipped('micro-waterfall');
    const facts = (chain[0]?.body ?? []).map((node) => [node.id, node.tests, node.expects.red, node.check]);
    expect(facts.filter(([, tests]) => tests !== null)).toEqual([
      ['scaffold', 'project', true, null],
      ['impl', 'project', false, '{{project.check}}'],
      ['verify', 'project', false, null],
    ]);
  });

  it('micro-waterfall routes reasons as its table has it', () => {
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

  it('quick sends a red check back to the agent with what failed', () => {
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
  ])('the instruction of $step says what the step is about', ({ step, words }) => {
    const text = readShippedPrompt(`prompts/micro-waterfall/${step}.md`) ?? '';
    for (const word of words) expect(text).toContain(word);
  });
});
