// The real Codex, with a model of our own, in a Bosun that really runs. Headless it has a sandbox and no way to ask about
// a command; its model may still ask by Bosun's own tools.
import { expect, it } from 'vitest';
import { describeAgent } from '../agents/describe-agent.js';
import { call, run } from '../agents/model/talk.js';
import { givenStage } from '../agents/stage.js';
import { expectDone, quickScript, storyScript, walkToReview } from '../agents/walks.js';

const asks = call('ask_human', { question: 'Round up or down?', options: ['Up', 'Down'] });
const mayRun = (command: string) => call('permission_prompt', { tool_name: 'Bash', input: { command } });

describeAgent('codex', 'walks', () => {
  it('quick: asks and is answered, asks to run a command, breaks a test and mends it', async () => {
    const stage = await givenStage('codex', quickScript([asks], [mayRun('echo linted'), run('echo linted')]));
    await stage.run('add up carts');
    const question = await stage.asked('question');
    expect(question.text).toContain('Round up or down?');
    await stage.press(question, 'Up');
    const permission = await stage.asked('permission');
    expect(permission.text).toContain('echo linted');
    await stage.press(permission, 'Allow once');
    await stage.press(await stage.asked('review'), 'Approve');
    await expectDone(stage, 'codex');
    const [, answered, allowed, ran] = stage.model.asked.map(({ talk }) => talk.results.at(-1));
    expect(answered).toContain('Up');
    expect(allowed).toContain('allow');
    expect(ran).toContain('linted');
  });

  it('micro-waterfall: a question ends its session and the answer resumes it; one command is allowed, one denied', async () => {
    const script = storyScript([mayRun('echo checked'), run('echo checked')], [mayRun('git push --force')]);
    const stage = await givenStage('codex', script, { workflow: 'micro-waterfall' });
    await walkToReview(stage);
    await stage.press(await stage.asked('permission'), 'Allow once');
    const refused = await stage.asked('permission');
    expect(refused.text).toContain('git push --force');
    await stage.press(refused, 'Deny');
    await expectDone(stage, 'codex');
    const results = stage.model.asked.flatMap(({ talk }) => talk.results);
    expect(results).toContainEqual(expect.stringMatching(/deny.*Refused by/s));
  });
});
