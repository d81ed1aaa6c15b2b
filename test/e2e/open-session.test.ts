// Sessions in people's terminals: a real child process holds the run, over a restart of Bosun too.
import { spawn } from 'node:child_process';
import { hostname } from 'node:os';
import { afterEach, expect, it } from 'vitest';
import { processStart } from '../../src/base/index.js';
import { perform, requestSchema } from '../../src/bot/index.js';
import { pageSource } from '../../src/config/index.js';
import { given, opened, type Stage } from './stage.js';

const fails = 'echo "STATUS: failing"; echo "SUMMARY: the cart is wrong"';
const children: (() => void)[] = [];
afterEach(() => {
  for (const end of children.splice(0)) end();
});

function terminal(): { readonly pid: number; readonly end: () => void } {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  const end = () => void child.kill('SIGKILL');
  children.push(end);
  return { pid: child.pid ?? 0, end };
}

const base = { do: 'open', run: 'r1', chain: '', node: 'n1', key: 'k1', host: hostname() };
const holding = (pid: number) => ({ ...base, processes: [{ pid, startedAt: processStart(pid) }] });
const state = (stage: Stage) => stage.status().nodes[0]?.state;

async function stuck(): Promise<Stage> {
  const stage = await given(fails);
  await stage.run('mend the cart');
  expect(state(stage)).toBe('needs_human');
  return stage;
}

it('is told, holds the run over a restart of Bosun, and is released once its processes were killed', async () => {
  const first = await stuck();
  const { pid, end } = terminal();
  await first.ask(holding(pid));
  expect(await first.say('status shop')).toMatch(/has the session of build open in a terminal since/);
  expect(await first.say('continue shop')).toMatch(/has build open in a terminal; end that session first/);
  await first.app.close();
  const second = await opened(first.world);
  expect(second.status().opened).toMatchObject({ step: 'build', item: null, by: 'owner' });
  end();
  await expect.poll(() => second.status().opened, { timeout: 15_000 }).toBeNull();
  expect(state(second)).toBe('needs_human');
  await second.press('retry');
  expect(second.status().nodes[0]?.attempt).toBe(1);
});

it('takes the words at its end for a report, and without a status only tells them', async () => {
  const stage = await stuck();
  const ends = (key: string, text: string) => ({
    ...{ do: 'hook', project: 'shop', opened: { run: 'r1', key } },
    session: { agent: 'claude', id: 's1', turn: null, text },
  });
  await stage.ask(holding(terminal().pid));
  await stage.ask(ends('k1', 'I only looked around.'));
  expect([stage.status().opened, state(stage)]).toEqual([null, 'needs_human']);
  await stage.ask({ ...holding(terminal().pid), key: 'k2' });
  await stage.ask(ends('k2', 'The cart is right.\nSTATUS: pass'));
  expect([stage.status().opened, state(stage)]).toEqual([null, 'passed']);
  expect(stage.status().run?.status).toBe('completed');
});

it("only the home's owner opens one, on the machine where Bosun runs", async () => {
  const { app } = await stuck();
  const ask = (more: object, surface?: typeof pageSource) =>
    perform(app, requestSchema.parse({ ...holding(process.pid), ...more }), surface);
  await expect(ask({}, pageSource)).rejects.toMatchObject({ code: 'not_allowed' });
  await expect(ask({ host: 'elsewhere' })).rejects.toThrow(/Bosun runs on/);
  await expect(ask({ as: 'ada' })).rejects.toMatchObject({ code: 'not_allowed' });
  await expect(ask({ node: 'n9' })).rejects.toThrow(/no step n9 here/);
});
