// What goes wrong in the world gets a clear word, changes nothing that it must not, and leaves a Bosun that works on:
// the agents, and the folder that they work in.
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { isRunning } from '../agents/attempts/given.js';
import { givenWorld, oneAgent, tempFolder, type World } from '../dispatch/given.js';
import { given, good, longMs, one, opened, type Stage, seen } from './stage.js';

/** What may stand in a message: no control characters but the end of a line, nothing that turns the writing around. */
const inert = /^(?:\n|[^\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069])*$/u;

/** The question that is open offers a way on, and taking it with a good agent ends well. */
async function recovers(stage: Stage, before: string): Promise<void> {
  expect(stage.head()).toBe(before);
  expect(stage.status()).toMatchObject({ health: 'waiting', run: { status: 'paused' } });
  expect(stage.status().interactions[0]?.options.map(({ label }) => label)).toEqual(
    expect.arrayContaining(['Retry', 'Abort']),
  );
  stage.world.agent(good);
  await stage.press('retry');
  expect(stage.status().run).toMatchObject({ status: 'completed' });
  expect(stage.world.git('show', '--stat', '--format=', 'HEAD')).toContain('made.txt');
}

describe('a faulty executor', () => {
  const cases: readonly [what: string, agent: string, workflow: string, outcome: string, says: RegExp][] = [
    [
      'exits 137',
      'echo half; exit 137',
      'one',
      'crashed',
      /shop · build failed|shop · build crashed[\s\S]*exited with code 137/,
    ],
    ['prints nothing and hangs', 'sleep 600', 'hasty', 'timeout', /shop · build timed out after/],
    [
      'prints 200 MB',
      'yes 0123456789012345678901234567890123456789 | head -c 200000000; exit 3',
      'one',
      'crashed',
      /exited with code 3/,
    ],
    ['says nothing at all', 'true', 'one', 'crashed', /exited without any output/],
    [
      'writes a handoff of another story',
      'mkdir -p .ai; printf -- "---\\nstory: US-999\\nstatus: pass\\n---\\ndone\\n" > "$BOSUN_HANDOFF_FILE"',
      'strict',
      'crashed',
      /ended without a report/,
    ],
    [
      'breaks the front matter',
      'printf -- "---\\nstatus: [pass\\n---\\ndone\\n" > "$BOSUN_HANDOFF_FILE"',
      'strict',
      'failing',
      /shop · TASK-1 · build failed/,
    ],
    [
      'leaves a link to /etc/passwd for a result',
      'ln -s /etc/passwd "$BOSUN_RESULT_FILE"',
      'strict',
      'crashed',
      /ended without a report/,
    ],
    [
      'leaves 300 KB of garbage for a result',
      'head -c 300000 /dev/urandom > "$BOSUN_RESULT_FILE"',
      'strict',
      'crashed',
      /ended without a report/,
    ],
    [
      'reports an unknown status',
      'echo "STATUS: splendid"',
      'one',
      'failing',
      /"splendid" is not a status that is known/,
    ],
  ];

  it.each(cases)(
    'that %s is reported, changes nothing and can be retried',
    async (_, agent, workflow, outcome, says) => {
      const stage = await given(agent);
      const before = stage.head();
      await stage.run('Add the order history', workflow);
      expect(stage.status().nodes.find(({ template }) => template === 'build')).toMatchObject({ outcome });
      expect(seen(stage)).toMatch(says);
      expect(seen(stage)).not.toContain('root:');
      await recovers(stage, before);
    },
    // 200 MB through a pipe take a minute or two on a busy machine.
    180_000,
  );

  it('has each report file that Bosun refused to read named in its log', async () => {
    const files: readonly [string, RegExp][] = [
      ['ln -s /etc/passwd "$BOSUN_RESULT_FILE"', /executor-result leads outside the working directory/],
      ['head -c 300000 /dev/zero > "$BOSUN_RESULT_FILE"', /executor-result has 300000 bytes; the limit is/],
      [
        'printf -- "---\\nstory: US-999\\nstatus: pass\\n---\\n" > "$BOSUN_HANDOFF_FILE"',
        /HANDOFF\.md names story "US-999": stale/,
      ],
    ];
    const stage = await given();
    for (const [agent, says] of files) {
      stage.world.agent(agent);
      if (stage.status().run === null) await stage.run('Add the order history', 'strict');
      else await stage.press('retry');
      expect(await stage.say('log shop')).toMatch(says);
    }
  });

  it('that ignores SIGTERM and starts children in their own session leaves no process behind', async () => {
    const stage = await given(
      'trap "" TERM; note $$; setsid sh -c \'trap "" TERM; echo $$ >> child.pid; sleep 600 & wait; wait\' & wait; wait; sleep 600',
    );
    await stage.run('Add the order history', 'hasty');
    expect(stage.status().nodes[0]).toMatchObject({ outcome: 'timeout' });
    const child = readFileSync(join(stage.world.root, 'child.pid'), 'utf8').trim();
    for (const pid of [...stage.world.notes(), child]) expect([pid, isRunning(Number(pid))]).toEqual([pid, false]);
  });

  it('that prints control characters is shown without them', async () => {
    const summary =
      'status: failing\\nsummary: \\033[31mred\\033[0m \\033]0;title\\007 tur\\342\\200\\256ned \\000nul \\033[2J\\r<b>bold</b>';
    const stage = await given(`printf '${summary}' > "$BOSUN_RESULT_FILE"; printf 'a\\033[2Jb\\000c\\n'`);
    await stage.run('Add \u001b[31mthe\u202e order\u0000 history');
    await stage.say('log shop');
    await stage.say('why shop');
    await stage.say('status shop');
    expect(seen(stage)).toContain('red');
    for (const { view } of stage.messages()) {
      for (const text of [view.text, view.file?.text ?? '', ...view.buttons.map(({ label }) => label)])
        expect(text).toMatch(inert);
    }
  });

  it.each([
    [
      'is not there',
      (world: World) => join(world.root, '..', 'no-such-agent'),
      /no-such-agent" \(or its interpreter\) was not found/,
    ],
    ['may not be run', (world: World) => locked(world), /locked-agent" is not executable; run chmod \+x on it/],
  ])('that %s is reported, and the retry uses the changed config', async (_, make, says) => {
    const world = givenWorld(good);
    world.configure(
      `executors: { agent: { kind: command, run: ["${make(world)}"] } }\nprojects: { shop: { root: "%ROOT%" } }\n`,
    );
    const stage = await opened(world);
    const before = stage.head();
    await stage.run('Add the order history');
    expect(seen(stage)).toMatch(says);
    const { revision } = stage.app.config();
    world.configure(oneAgent);
    await vi.waitUntil(() => stage.app.config().revision !== revision, { timeout: longMs, interval: 5 });
    await recovers(stage, before);
  });
});

function locked(world: World): string {
  const path = join(world.root, '..', 'locked-agent');
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, 0o644);
  return path;
}

describe('a project folder', () => {
  const cases: readonly [what: string, spoil: (world: World) => void, mend: (world: World) => void, says: RegExp][] = [
    [
      'is gone',
      ({ root }) => renameSync(root, `${root}.away`),
      ({ root }) => renameSync(`${root}.away`, root),
      /shop does not exist\nCheck the path/,
    ],
    [
      'is not under git',
      ({ root }) => renameSync(join(root, '.git'), join(root, '..', 'git.away')),
      ({ root }) => renameSync(join(root, '..', 'git.away'), join(root, '.git')),
      /shop is not under git\nRun git init there/,
    ],
    [
      'has no branch checked out',
      ({ git }) => git('switch', '-q', '--detach'),
      ({ git }) => git('switch', '-q', 'main'),
      /no branch checked out\n.*git switch/,
    ],
    [
      'is in the middle of a merge',
      ({ root, git }) => writeFileSync(join(root, '.git', 'MERGE_HEAD'), `${git('rev-parse', 'HEAD')}\n`),
      ({ root }) => rmSync(join(root, '.git', 'MERGE_HEAD')),
      /merge is unfinished in .*shop/,
    ],
  ];

  it.each(cases)(
    'that %s stops the run before it begins, and the run starts once that is repaired',
    async (_, spoil, mend, says) => {
      const stage = await given('note ran; echo one > made.txt; echo "STATUS: pass"');
      // The project's own workflows are gone with its folder.
      const elsewhere = join(tempFolder(), 'one.yaml');
      writeFileSync(elsewhere, one);
      const before = stage.head();
      spoil(stage.world);
      await stage.run('Add the order history', elsewhere);
      expect(seen(stage)).toMatch(says);
      expect(stage.world.notes()).toEqual([]);
      mend(stage.world);
      expect(stage.head()).toBe(before);
      await stage.press('retry');
      expect(stage.world.notes()).toEqual(['ran']);
      expect(stage.status().run).toMatchObject({ status: 'completed' });
    },
  );
});
