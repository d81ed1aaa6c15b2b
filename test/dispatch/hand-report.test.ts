import { rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attemptRunner, codingAgents } from '../../src/agents/index.js';
import { type ManualReportFiles, readHandReport } from '../../src/dispatch/attempts/manual-report.js';
import { def, item, loop, Player, report, workflow } from '../engine/builders.js';
import { configOf, givenWorld, type World } from './given.js';

const semi = workflow([
  loop('stories', [def('impl', { check: '{{project.check}}', tests: 'project' }), def('verify')]),
]);
const tested = `
projects: { shop: { root: "%ROOT%", check: "test -f made.txt", tests: { run: "printf 'TAP version 13\\n1..1\\nok 1 - adds\\n'", format: tap } } }
`;

function given(config = tested) {
  const world = givenWorld('', config);
  const player = Player.start(semi, { items: [item('US-1')], level: 'manual' });
  const read = (result: ManualReportFiles = null, step = 'impl') => readIn(world, player, result, step);
  return { world, read, player };
}

function readIn(world: World, player: Player, result: ManualReportFiles, step: string) {
  const parts = { config: configOf(world), secret: world.home.secret, url: '', worktrees: '/worktrees' };
  return readHandReport(
    player.stateOf('US-1'),
    player.node(step, 'US-1').id,
    result,
    parts,
    attemptRunner({ agents: codingAgents }),
  );
}

const handoff = (front: string, body = 'done') => `---\n${front}\n---\n${body}\n`;

describe('the report of an agent that a person started by hand', () => {
  it('comes with checks that Bosun ran itself', async () => {
    const { world, read } = given();
    const claimed = report('pass', null, 'all done');
    const without = await read(claimed);
    expect(without.envelope).toMatchObject({ exit: 0, killed: null, result: claimed, output: { isEmpty: false } });
    expect(without.envelope.checks.map(({ name, ok }) => [name, ok])).toEqual([
      ['tests', true],
      ['check', false],
    ]);
    world.write('made.txt', 'one\n');
    expect((await read(claimed)).envelope.checks.every(({ ok }) => ok)).toBe(true);
  });

  it('runs its own checks, even for two simultaneous reports', async () => {
    // The first that begins ends while the other is still at it.
    const tests = `test ! -e begun || if mkdir first; then sleep 0.3; else sleep 1.5; fi`;
    const { world, read } = given(`projects: { shop: { root: "%ROOT%", tests: { run: "${tests}", format: exit } } }\n`);
    await read(report('pass'));
    world.write('begun', '');
    const both = await Promise.all([read(report('pass', null, 'one')), read(report('pass', null, 'other'))]);
    expect(both.map(({ envelope }) => envelope.checks.map(({ ok }) => ok))).toEqual([[true], [true]]);
  });

  it('comes from the hook, else from the result file, else from the hand-off', async () => {
    const { world, read } = given();
    await expect(read()).rejects.toMatchObject({
      code: 'not_now',
      message: 'No new report on impl of shop',
      hint: expect.stringContaining('--status'),
    });
    world.write('.ai/HANDOFF.md', handoff('story: US-1\nstep: impl\nstatus: pass'));
    expect((await read()).envelope).toMatchObject({
      result: null,
      handoff: { front: { status: 'pass' } },
      output: { isEmpty: false },
    });
    world.write('.ai/executor-result', 'status: failing\nsummary: half\n');
    expect((await read()).envelope.result).toMatchObject({ status: 'failing', summary: 'half' });
    expect((await read(report('pass'))).envelope.result).toMatchObject({ status: 'pass' });
  });

  it('may be the agent’s last message if it has a status, beside the files and the checks', async () => {
    const { world, read } = given();
    await expect(read({ said: 'All is well, I pass.' })).rejects.toMatchObject({ code: 'not_now' });
    const said = 'Done.\n\nSTATUS: pass\nSUMMARY: wrote it';
    const spoken = await read({ said });
    expect(spoken.envelope).toMatchObject({
      result: null,
      output: { isEmpty: false, keys: { STATUS: 'pass' }, summary: 'wrote it' },
    });
    expect(spoken.envelope.checks.map(({ ok }) => ok)).toEqual([true, false]);
    expect((await read({ said: said.replace('pass', 'failing') })).fingerprint).not.toBe(spoken.fingerprint);
    world.write('.ai/executor-result', 'status: failing\n');
    expect((await read({ said: 'Nothing to say.' })).envelope.result).toMatchObject({ status: 'failing' });
  });

  it('ignores a hand-off written for another story or step', async () => {
    const { world, read } = given();
    for (const front of ['story: US-2\nstatus: pass', 'step: verify\nstatus: pass']) {
      world.write('.ai/HANDOFF.md', handoff(front));
      await expect(read()).rejects.toMatchObject({ code: 'not_now' });
      expect((await read(report('pass'))).envelope.handoff).toBeNull();
    }
  });

  it('has the same fingerprint for a repeated hook, and another one once files or words change', async () => {
    const { world, read } = given();
    const claimed = report('pass');
    const [first, again] = [await read(claimed), await read(claimed)];
    expect(again.fingerprint).toBe(first.fingerprint);
    const reworded = await read(report('failing'));
    world.write('made.txt', 'one\n');
    const changed = await read(claimed);
    expect(new Set([first, reworded, changed].map(({ fingerprint }) => fingerprint)).size).toBe(3);
  });

  it('counts once: leftovers of the previous attempt are not a report on the next step', async () => {
    const { world, read, player } = given();
    world.write('.ai/HANDOFF.md', handoff('status: pass'));
    world.write('.ai/executor-result', 'status: pass\n');
    const { envelope } = await read();
    player.now = Date.now() + 1_000;
    player.do({ type: 'reported', chain: 'US-1', envelope: { ...envelope, checks: [] } });
    expect(player.node('impl', 'US-1').last?.outcome).toBe('pass');
    await expect(read(null, 'verify')).rejects.toMatchObject({
      code: 'not_now',
      message: expect.stringContaining('verify'),
    });
    const soon = new Date(player.now + 60_000);
    world.write('.ai/HANDOFF.md', handoff('status: failing'));
    utimesSync(join(world.root, '.ai', 'HANDOFF.md'), soon, soon);
    expect((await read(null, 'verify')).envelope.handoff?.front?.status).toBe('failing');
  });

  it('is not read through a link, nor from a file above the size limit', async () => {
    const { world, read } = given();
    const secret = join(world.root, '..', 'secret');
    world.write('../secret', 'status: pass\nsummary: SECRET\n');
    world.write('.ai/x', '');
    symlinkSync(secret, join(world.root, '.ai', 'executor-result'));
    symlinkSync(secret, join(world.root, '.ai', 'HANDOFF.md'));
    await expect(read()).rejects.toMatchObject({ code: 'not_now' });
    const linked = await read(report('pass'));
    expect(JSON.stringify(linked)).not.toContain('SECRET');
    expect(linked.envelope.handoff).toBeNull();
    for (const name of ['executor-result', 'HANDOFF.md']) rmSync(join(world.root, '.ai', name), { force: true });
    world.write('.ai/executor-result', `status: pass\n${'x'.repeat(300_000)}`);
    await expect(read()).rejects.toMatchObject({ code: 'not_now' });
  });

  it('starts no agent, and needs no executor in the project', async () => {
    const { world, read } = given(
      'executors: { agent: { kind: command, run: [sh, "%AGENT%"] } }\nprojects: { shop: { root: "%ROOT%" } }',
    );
    expect((await read(report('pass'))).envelope.checks).toEqual([]);
    expect(world.notes()).toEqual([]);
  });
});
