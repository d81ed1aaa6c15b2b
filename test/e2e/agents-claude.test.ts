// The real Claude Code, with a model of our own, in a Bosun that really runs.
import { expect, it } from 'vitest';
import { describeAgent } from '../agents/describe-agent.js';
import { call, hang, run, type Script, say } from '../agents/model/talk.js';
import { expectSent } from '../agents/prompt-record.js';
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
    await expectSent(stage, 'quick.claude');
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
    await expectSent(stage, 'micro-waterfall.claude');
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
    expect((await stage.cli('say', 'note for shop: Use JWT')).out).toContain('sending to Build');
    expect((await stage.ended()).nodes).toMatchObject([{ state: 'passed', attempt: 1, summary: 'heard' }]);
    expect((await stage.events()).map(({ type }) => type)).toContain('words_heard');
    expect(await stage.attempts()).toBe(1);
  });
});
