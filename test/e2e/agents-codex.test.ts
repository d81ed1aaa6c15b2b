// The real Codex, with a model of our own, in a Bosun that really runs. What its sandbox does not allow it asks a person,
// and a question of its model reaches them too.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeAgent } from '../agents/describe-agent.js';
import { call } from '../agents/model/talk.js';
import { expectSent } from '../agents/prompt-record.js';
import { givenStage } from '../agents/stage.js';
import { expectDone, quickScript, storyScript, walkToReview } from '../agents/walks.js';

const asks = call('ask_human', { question: 'Round up or down?', options: ['Up', 'Down'] });
/** A command that asks to run outside the sandbox. */
const escalate = (cmd: string) =>
  call('exec_command', { cmd, sandbox_permissions: 'require_escalated', justification: 'it needs the network' });

describeAgent('codex', 'walks', () => {
  it('quick: asks a question, asks permission for a command, breaks a test and fixes it', async () => {
    const stage = await givenStage('codex', quickScript([asks], [escalate('echo linted; echo x >> ../marker')]));
    await stage.run('add up carts');
    const question = await stage.asked('question');
    expect(question.text).toContain('Round up or down?');
    await stage.press(question, 'Up');
    const permission = await stage.asked('permission');
    expect(permission.text).toMatch(/^shell asks for:\n\| echo linted.*Its reason: it needs the network/s);
    expect(existsSync(join(stage.root, '../marker'))).toBe(false);
    await stage.press(permission, 'Allow once');
    await stage.press(await stage.asked('review'), 'Approve');
    await expectDone(stage, 'codex');
    const [, answered, ran] = stage.model.asked.map(({ talk }) => talk.results.at(-1));
    expect(answered).toContain('Up');
    expect(ran).toContain('linted');
    await expectSent(stage, 'quick.codex');
    expect(readFileSync(join(stage.root, '../marker'), 'utf8')).toBe('x\n');
  });

  it('micro-waterfall: a question ends its session and the answer resumes it; one command is allowed, one denied', async () => {
    const script = storyScript([escalate('echo checked')], [escalate('echo x >> ../marker')]);
    const stage = await givenStage('codex', script, { workflow: 'micro-waterfall' });
    await walkToReview(stage);
    await stage.press(await stage.asked('permission'), 'Allow once');
    const refused = await stage.asked('permission');
    expect(refused.text).toContain('echo x >> ../marker');
    await stage.press(refused, 'Deny');
    await expectDone(stage, 'codex');
    await expectSent(stage, 'micro-waterfall.codex');
    expect(existsSync(join(stage.root, '../marker'))).toBe(false);
    const results = stage.model.asked.flatMap(({ talk }) => talk.results);
    expect(results).toContainEqual(expect.stringMatching(/reject/i));
  });
});
