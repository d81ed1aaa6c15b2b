// The real OpenCode, with a model of our own, in a Bosun that really runs.
import { expect, it } from 'vitest';
import { describeAgent } from '../agents/describe-agent.js';
import { testEnds } from '../agents/faults.js';
import { call, run } from '../agents/model/talk.js';
import { givenStage } from '../agents/stage.js';
import { expectDone, quickScript } from '../agents/walks.js';

const asks = call('ask_human', { question: 'Round up or down?', options: ['Up', 'Down'] });

describeAgent('opencode', 'walks', () => {
  it('quick: asks a question, asks before it runs a command, breaks a test and fixes it', async () => {
    const stage = await givenStage('opencode', quickScript([asks], [run('echo linted')]));
    await stage.run('add up carts');
    const question = await stage.asked('question');
    expect(question.text).toContain('Round up or down?');
    await stage.press(question, 'Up');
    await stage.press(await stage.asked('permission'), 'Allow once');
    await stage.press(await stage.asked('review'), 'Approve');
    await expectDone(stage, 'opencode');
    const results = stage.model.asked.flatMap(({ talk }) => talk.results);
    expect(results).toContainEqual(expect.stringContaining('linted'));
  });
});

// It takes seconds to begin and tries again by itself for long: here only that it never hangs.
describeAgent('opencode', 'meets faults', () => testEnds('opencode'));
