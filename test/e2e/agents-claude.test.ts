// The real Claude Code, with a model of our own, in a Bosun that really runs.
import { expect, it } from 'vitest';
import { describeAgent } from '../agents/describe-agent.js';
import { call, hang, run, type Script, say } from '../agents/model/talk.js';
import { put, rightCode } from '../agents/moves.js';
import { givenStage } from '../agents/stage.js';
import { oneStep } from '../agents/steps.js';
import { expectDone, quickScript, storyScript, walkToReview } from '../agents/walks.js';

const asks = call('ask_human', { question: 'Round up or down?', options: ['Up', 'Down'] });

describeAgent('claude', 'walks', () => {
  it('quick: asks a question, asks permission for a command, breaks a test and fixes it', async () => {
    const stage = await givenStage('claude', quickScript([asks], [run('node -p "6 * 7"')]));
    await stage.run('add up carts');
    const question = await stage.asked('question');
    expect(question.text).toContain('Round up or down?');
    expect(question.options.map(({ label }) => label)).toEqual(
      expect.arrayContaining(['Up', 'Down', 'Another answer']),
    );
    await stage.press(question, 'Up');
    const permission = await stage.asked('permission');
    expect(permission.text).toContain('node -p "6 * 7"');
    await stage.press(permission, 'Allow once');
    await stage.press(await stage.asked('review'), 'Approve');
    await expectDone(stage, 'claude');
    const [, answered, ran] = stage.model.asked.map(({ talk }) => talk.results.at(-1));
    expect(answered).toContain('Up');
    expect(ran).toContain('42');
  });

  it('micro-waterfall: a question ends its session and the answer resumes it; one command is allowed, one denied', async () => {
    const script = storyScript([run('node -p "6 * 7"')], [run('git push --force')]);
    const stage = await givenStage('claude', script, { workflow: 'micro-waterfall' });
    await walkToReview(stage);
    await stage.press(await stage.asked('permission'), 'Allow once');
    const refused = await stage.asked('permission');
    expect(refused.text).toContain('git push --force');
    await stage.press(refused, 'Deny');
    await expectDone(stage, 'claude');
    const results = stage.model.asked.flatMap(({ talk }) => talk.results);
    expect(results).toContainEqual(expect.stringContaining('42'));
    expect(results).toContainEqual(expect.stringContaining('Refused by'));
  });

  it('an unanswered question ends its attempt, and the answer goes to the session that asked', async () => {
    const script: Script = {
      Build: ({ prompt, before }) =>
        before.length === 0 ? [asks, hang] : [say(`STATUS: pass\nSUMMARY: ${/^The answer: (.*)$/m.exec(prompt)?.[1]}`)],
    };
    const stage = await givenStage('claude', script, { ...oneStep(), executor: { answer_within_s: 1 } });
    await stage.run('build it');
    const { nodes } = await stage.until('it has ended without an answer', (status) =>
      status.nodes.some(({ state }) => state === 'needs_human'),
    );
    expect(nodes).toMatchObject([{ outcome: 'needs_human', summary: 'Round up or down?' }]);
    await stage.press(await stage.asked('question'), 'Down');
    const ended = await stage.ended();
    expect(ended.nodes).toMatchObject([{ state: 'passed', summary: 'Down' }]);
  });

  it("the project's own tests run without permission, and the prompt names ask_human", async () => {
    const tests = 'node --test test/cart.spec.ts';
    const script: Script = { Build: [run(tests), say('STATUS: pass')] };
    const stage = await givenStage('claude', script, oneStep());
    await stage.run('build it');
    const ended = await stage.ended();
    expect([ended.run?.status, ended.interactions]).toEqual(['completed', []]);
    expect(stage.model.asked.at(-1)?.talk.results[0]).toContain('an empty cart costs nothing');
    expect(stage.model.asked[0]?.talk.prompt).toMatch(/`ask_human`/);
  });

  it('takes words into its running turn', async () => {
    const script: Script = {
      Build: ({ since, results }) =>
        since.includes('Use JWT')
          ? [...results.map(() => hang), say('STATUS: pass\nSUMMARY: heard')]
          : Array.from({ length: 500 }, () => run('true')),
    };
    const project = { words: 'now' };
    const stage = await givenStage('claude', script, { ...oneStep(), executor: { tools: ['Bash'] }, project });
    await stage.run('build it');
    await stage.until('its turn runs', () => stage.model.asked.length > 0);
    expect((await stage.cli('say', 'note for shop: Use JWT')).out).toContain('sending to build');
    expect((await stage.ended()).nodes).toMatchObject([{ state: 'passed', attempt: 1, summary: 'heard' }]);
    expect((await stage.events()).map(({ type }) => type)).toContain('words_heard');
    expect(await stage.attempts()).toBe(1);
  });

  it('feature-dev: plans, builds, verifies and reviews without a card, and Bosun makes branch and commits', async () => {
    const report = (status: string, more: object = {}) => call('report', { status, summary: 'It is done.', ...more });
    const story = { id: 'US-001', title: 'Add up', description: 'Carts add up.', acceptanceCriteria: ['Tests pass'] };
    const plan = `STATUS: done\nREPO: .\nBRANCH: feature/cart\nSTORIES_JSON: ${JSON.stringify([story])}`;
    const tests = run('node --test test/cart.spec.ts');
    const script: Script = {
      Plan: [report('done'), say(plan)],
      Implement: [
        ...put('src/cart.ts', rightCode),
        tests,
        call('progress_log', { text: '## US-001\nAdded up.\n---' }),
        call('note', { text: 'Carts are arrays.' }),
        report('pass', { review_digest: 'A cart adds up.' }),
        say('STATUS: pass\nCHANGES: src/cart.ts\nTESTS: node --test'),
      ],
      Verify: [tests, report('done'), say('STATUS: done\nVERIFIED: src/cart.ts:1')],
      Test: [tests, report('done'), say('STATUS: done\nRESULTS: 1 passed')],
      'Pull request': [report('pass'), say('STATUS: pass\nPR: Carts add up')],
      Review: [report('pass'), say('STATUS: pass\nDECISION: approved\nFEEDBACK: none')],
    };
    const stage = await givenStage('claude', script, { workflow: 'feature-dev' });
    await stage.run('let carts add up');
    const { run: ended, interactions } = await stage.ended();
    expect([ended?.status, interactions]).toEqual(['completed', []]);
    expect(stage.git('log', '-1', '--format=%s', 'feature/cart')).toBe('feat: US-001 - Add up');
    expect(stage.git('log', '-1', '--format=%b', 'feature/cart')).toMatch(
      /A cart adds up\.[\s\S]*Cost: \$[\s\S]*Co-authored-by: Claude <noreply@anthropic\.com>/,
    );
    // The checkout is given back after the run has ended.
    await expect.poll(() => stage.git('branch', '--show-current'), { timeout: 20_000 }).toBe('main');
    expect(stage.git('status', '--porcelain')).toBe('');
    expect(stage.model.asked.map(({ talk }) => talk.prompt).join('\n')).toContain('## US-001\nAdded up.');
  });

  it('dynamic-ralph: ten steps of a story in a worktree without a card, with notes by tools, as one commit', async () => {
    const report = call('report', { status: 'pass', summary: 'One.\nTwo.\nThree.' });
    const note = call('note', { text: 'Carts are arrays.' });
    const step = [report, say('STATUS: pass\nSUMMARY\nOne.\nTwo.\nThree.')];
    const script: Script = {
      'Explore codebase, DB schema, docs, and related code': [note, ...step],
      'Produce implementation plan based on gathered context': step,
      'Design code structure and identify files to modify': step,
      'Design test strategy and identify test files': step,
      'Implement the changes': [...put('src/cart.ts', rightCode), ...step],
      'Run formatters and lint checks': step,
      'Run tests and identify failures': [run('node --test test/cart.spec.ts'), ...step],
      'Self-review against acceptance criteria': step,
      'Remove redundant tests': step,
      'Final verification and commit': step,
    };
    const stage = await givenStage('claude', script, { workflow: 'dynamic-ralph' });
    await stage.run('US-001 let carts add up');
    const { run: ended, interactions } = await stage.ended();
    expect([ended?.status, interactions]).toEqual(['completed', []]);
    expect(stage.git('log', '-1', '--format=%s')).toBe('feat(ralph): US-001 - let carts add up');
    expect(stage.read('src/cart.ts')).toBe(rightCode);
    expect(stage.model.asked.map(({ talk }) => talk.prompt).join('\n')).toContain('Carts are arrays.');
  });
});
