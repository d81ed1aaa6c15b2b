import { expect, test } from 'vitest';
import { openClone } from '../../src/workspace/index.js';
import { makeWorld } from './bundle-world.js';

test('reopening a clone updates its remote-tracking branches', async () => {
  const { bosun, clone, remote } = makeWorld();
  expect(await openClone(clone, remote.root)).toEqual({ kind: 'ready' });
  bosun.git('push', '-q', 'origin', 'main:gone');
  bosun.write('a.txt', 'later\n');
  bosun.git('commit', '-qam', 'later');
  bosun.git('push', '-q', 'origin', 'main', ':gone');
  expect(await openClone(clone, remote.root)).toEqual({ kind: 'ready' });
  const later = bosun.git('rev-parse', 'HEAD').trim();
  const known = bosun.git('-C', clone, 'for-each-ref', '--format=%(objectname) %(refname)', 'refs/remotes');
  expect(known.trim()).toBe(`${later} refs/remotes/origin/main`);
});
