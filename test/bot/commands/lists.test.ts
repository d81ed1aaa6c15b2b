// What waits for a person, in a list: enough to know which one it is.
import { expect, it, vi } from 'vitest';
import { permissionAsk } from '../../engine/builders.js';
import { givenDesk } from '../channels/terminal/given.js';

const ask = { ...permissionAsk, text: 'Bash asks for:\nnpm publish' };

it('the inbox and the status list a permission request with its command and story', async () => {
  const { app, say } = await givenDesk();
  await say('continue demo');
  const told = await vi.waitFor(() => {
    const [run] = app.runtime.store.liveRuns('demo');
    const [live] = run?.live ?? [];
    if (!run || !live) throw new Error('nothing is live');
    return { run: run.id, chain: live.chain, attempt: live.attempt };
  }, 10_000);
  await app.runtime.submit(({ at }) => ({
    events: [
      { ...told, at, type: 'attempt_started', worker: 'w1' },
      { ...told, at, type: 'agent_asked', key: 'k1', ask },
    ],
  }));
  const [open] = app.runtime.store.openInteractions('demo');
  const id = open?.interaction.id;
  const words = 'Bash asks for: npm publish';
  expect((await say('inbox')).messages[0]?.view.text).toMatch(`${id} demo US-001 permission, since 0 s: ${words}`);
  expect((await say('status')).messages[0]?.view.text).toContain(`Needs you: permission ${id} of US-001: ${words}`);
});
