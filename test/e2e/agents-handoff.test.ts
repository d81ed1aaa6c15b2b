// A person continues the session of a real program in a terminal, and Bosun takes the result back.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeAgent } from '../agents/describe-agent.js';
import { inTerminal, keys } from '../agents/in-terminal.js';
import { hang, type Script, say } from '../agents/model/talk.js';
import type { AgentKind } from '../agents/programs.js';
import { givenStage, type Stage } from '../agents/stage.js';
import { oneStep } from '../agents/steps.js';
import { built, start } from '../cli/given.js';

const prompt = 'You are executing step Again for me.';
const script: Script = {
  Build: [say('The key is blue.\nSTATUS: failing\nSUMMARY: I cannot decide.')],
  Again: ({ before }) => [say(`You said: ${before.join(' ').slice(0, 60)}\nSTATUS: pass\nSUMMARY: decided by hand`)],
  Wait: [hang],
};

async function stuck(kind: AgentKind): Promise<Stage> {
  const stage = await givenStage(kind, script, oneStep());
  await stage.run('build it');
  await stage.asked('escalation');
  return stage;
}

async function expectTakenBack(stage: Stage): Promise<void> {
  const { run, nodes } = await stage.ended();
  expect([run?.status, nodes[0]?.summary]).toEqual(['completed', 'decided by hand']);
  // Codex also asks for a title.
  const last = stage.model.asked.map(({ talk }) => talk).findLast(({ tools }) => tools.length > 0);
  expect([last?.prompt, last?.before]).toEqual([
    expect.stringContaining(prompt),
    expect.arrayContaining([expect.stringContaining('You are executing step Build')]),
  ]);
}

describeAgent('claude', 'hand-off', () => {
  it('is listed, printed, held and released; the resumed session knows the earlier words, and its report counts', async () => {
    const stage = await stuck('claude');
    expect((await stage.cli('say', 'continue shop')).out).toContain("On Bosun's computer: bosun open r1 build");
    const listed: unknown = JSON.parse((await stage.cli('sessions', 'shop', '--json')).out);
    expect(listed).toMatchObject([
      { run: 'r1', step: 'build', agent: 'claude', outcome: 'failing', not_openable: null },
    ]);
    const printed = (await stage.cli('open', 'r1', 'build', '--print')).out;
    expect(printed).toMatch(/^cd \S+\/shop && .*--resume [0-9a-f-]{36}\n$/s);
    const waits = await start(['open', 'r1', 'build', '--', '-p', 'You are executing step Wait for me.'], {
      ...{ home: stage.home, detached: true },
    });
    await stage.until('the model is asked', () => stage.model.asked.some(({ talk }) => talk.prompt.includes('Wait')));
    expect((await stage.status()).opened).toMatchObject({ step: 'build', by: 'owner' });
    expect((await stage.cli('say', 'retry shop build')).out).toMatch(/open in a terminal/);
    process.kill(-(waits.child.pid ?? 0), 'SIGKILL');
    await stage.until('the run is released', ({ opened }) => opened === null);
    const again = await start(['open', 'r1', 'build', '--', '-p', prompt], { home: stage.home });
    expect(await again.ended).toMatchObject({ code: 0, out: expect.stringContaining('decided by hand') });
    await expectTakenBack(stage);
  });
});

for (const kind of ['codex', 'opencode'] as const) {
  describeAgent(kind, 'hand-off', () => {
    it('continues the session on its own screen, in the step’s folder, which is held, and its report counts', async () => {
      const stage = await stuck(kind);
      await built();
      const bosun = [process.execPath, join(import.meta.dirname, '../../dist/main.js'), '--home', stage.home];
      const screen = inTerminal([...bosun, 'open', 'r1', 'build']);
      if (kind === 'codex') {
        await screen.drawn('Trust this folder?');
        await screen.typeUntilDrawn(keys.enter, 'The key is blue.');
      }
      await screen.drawn('The key is blue.');
      await screen.drawn('/shop');
      screen.type(prompt);
      await screen.drawn(prompt);
      screen.type(keys.enter);
      await screen.drawn('decided by hand');
      expect((await stage.status()).opened).toMatchObject({ step: 'build', by: 'owner' });
      expect((await stage.cli('say', 'retry shop build')).out).toMatch(/open in a terminal/);
      await screen.quit();
      await expectTakenBack(stage);
    }, 300_000);
  });
}
