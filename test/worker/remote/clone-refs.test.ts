import { execFileSync } from 'node:child_process';
import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { backRef, type Elsewhere, givenElsewhere } from './given.js';

function refsIn({ home }: Elsewhere): string {
  const [clone = ''] = readdirSync(join(home, 'clones'));
  const args = ['-C', join(home, 'clones', clone, 'repository'), 'for-each-ref', '--format=%(refname)', 'refs/bosun'];
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

it('a clone deletes the refs of attempts whose work was pushed', async () => {
  const world = await givenElsewhere();
  await world.run('echo done > made.txt; echo "STATUS: pass"').done;
  await expect.poll(() => refsIn(world)).toBe('');
});

it('a clone keeps the ref of work that the remote did not take', async () => {
  const world = await givenElsewhere();
  const agent = `mv '${world.remote}' '${world.remote}.away'; echo done > made.txt; echo "STATUS: pass"`;
  const { fault } = await world.run(agent, {}, { pushForMs: 0 }).done;
  renameSync(`${world.remote}.away`, world.remote);
  expect(fault).toMatchObject({ code: 'worker_push' });
  await expect.poll(() => refsIn(world)).toBe(backRef);
});
