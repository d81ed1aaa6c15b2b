// What the real Codex may do only after a person's answer, at a cost that is known while it works.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeAgent } from '../agents/describe-agent.js';
import { call, type Move, run, say } from '../agents/model/talk.js';
import { processesOf } from '../agents/processes.js';
import { givenStage, type StageOptions } from '../agents/stage.js';
import { oneStep } from '../agents/steps.js';

const escalate = (cmd: string) =>
  call('exec_command', { cmd, sandbox_permissions: 'require_escalated', justification: 'to keep the work' });
const done = say('STATUS: pass\nSUMMARY: it was built');

function given(moves: readonly Move[], options: StageOptions = {}) {
  return givenStage('codex', { Build: moves }, { ...oneStep(), ...options });
}

describeAgent('codex', 'and permissions', () => {
  it('commits after Allow once, and asks again for the same command', async () => {
    const commit = escalate('git -c user.name=a -c user.email=a@b commit -q --allow-empty -m own');
    const stage = await given([commit, commit, done]);
    await stage.run('build it');
    const first = await stage.asked('permission');
    expect(first.text).toContain('git -c user.name=a -c user.email=a@b commit -q --allow-empty -m own');
    await stage.press(first, 'Allow once');
    const second = await stage.until(
      'it asks again',
      ({ interactions: [one] }) => one !== undefined && one.id !== first.id,
    );
    const [again] = second.interactions;
    if (again === undefined) throw new Error('no second card');
    await stage.press(again, 'Deny');
    await stage.ended();
    expect(
      stage
        .git('log', '--format=%s')
        .split('\n')
        .filter((subject) => subject === 'own'),
    ).toHaveLength(1);
  });

  it('ends with a question that gets no answer in time, and resumes its thread with the answer', async () => {
    const ask = call('ask_human', { question: 'Up or down?', options: ['Up', 'Down'] });
    const stage = await givenStage('codex', { Build: [ask] }, { ...oneStep(), executor: { answer_within_s: 1 } });
    await stage.run('build it');
    await stage.until('its attempt is over', ({ nodes: [node] }) => node?.state === 'needs_human');
    stage.model.think(() => done);
    await stage.press(await stage.asked('question'), 'Up');
    await stage.ended();
    const { talk } = stage.model.asked.at(-1) ?? {};
    expect(talk).toMatchObject({ prompt: expect.stringContaining('Up'), tools: expect.arrayContaining(['ask_human']) });
    expect(talk?.before.length).toBeGreaterThan(0);
  });

  it('under strict asks before every command but those of the project’s owner', async () => {
    const stage = await given([run('node --test test/cart.spec.ts'), run('touch src/made'), done], {
      executor: { permission: 'strict' },
    });
    await stage.run('build it');
    const card = await stage.asked('permission');
    expect(card.text).toContain('touch src/made');
    expect(stage.model.asked).toHaveLength(2);
    await stage.press(card, 'Deny');
    await stage.ended();
    expect(existsSync(join(stage.root, 'src/made'))).toBe(false);
  });

  it('under strict asks about the owner’s line once the agent has rewritten the script behind it', async () => {
    const script = (line: string) => `${JSON.stringify({ name: 'shop', scripts: { test: line } })}\n`;
    const lines = ['-', '+'].map((sign) => `${sign}${script(sign === '-' ? 'true' : 'echo ran >> rewritten')}`);
    const patch = run(
      `apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: package.json\n@@\n${lines.join('')}*** End Patch\nEOF`,
    );
    const test = run('npm test');
    const stage = await givenStage(
      'codex',
      { Build: [test, patch, test, test, done] },
      {
        ...oneStep(),
        executor: { permission: 'strict' },
        files: { ...oneStep().files, 'package.json': script('true') },
        project: { tests: { run: 'npm test', format: 'exit' } },
      },
    );
    await stage.run('build it');
    const first = await stage.asked('permission');
    expect(first.text).toContain('npm test');
    expect(first.text).toContain('+ echo ran >> rewritten');
    await stage.press(first, 'Deny');
    const { interactions } = await stage.until('it asks again', ({ interactions: [one] }) =>
      Boolean(one !== undefined && one.id !== first.id),
    );
    expect(existsSync(join(stage.root, 'rewritten'))).toBe(false);
    const [second] = interactions;
    if (second === undefined) throw new Error('no second card');
    await stage.press(second, 'Allow once');
    await stage.ended();
    expect(stage.read('rewritten')).toBe('ran\n');
  });

  it('leaves no process when Bosun is killed while a card is open', async () => {
    const mark = `sleep 97${String(Math.floor(Math.random() * 1e6)).padStart(6, '0')}`;
    const stage = await given([run(`setsid -f ${mark}; echo on`), escalate('git push'), done]);
    await stage.run('build it');
    await stage.asked('permission');
    const left = () => [...processesOf('app-server').filter((pid) => isOf(pid, stage.home)), ...processesOf(mark)];
    expect(left().length).toBeGreaterThan(1);
    await stage.kill();
    await expect.poll(left, { timeout: 20_000 }).toEqual([]);
  });
});

/** The agents of other tests run at the same time. */
function isOf(pid: number, home: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(join(home, '..', 'user'));
  } catch {
    // It has ended meanwhile.
    return false;
  }
}
