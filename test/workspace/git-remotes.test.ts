// What goes to a remote and comes from it, and in which words that fails.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import {
  dropBundles,
  fetchBundle,
  listBundles,
  openClone,
  packBundle,
  pushBundle,
  remoteAddress,
} from '../../src/workspace/index.js';
import { good, makeWorld, refs } from './bundle-world.js';
import { makeFolder, openRepository } from './repository.js';

test('a bundle is pushed to its ref repeatedly, without running the person’s hooks', async () => {
  const world = makeWorld();
  const { bosun, place, remote } = world;
  bosun.write('.git/hooks/pre-push', '#!/bin/sh\nexit 1\n');
  bosun.git('config', 'core.hooksPath', join(bosun.root, '.git', 'hooks'));
  const first = await packBundle(place);
  good('pushed', await pushBundle(place.folder, 'origin', { ref: refs.out, commit: first.commit }));
  bosun.write('a.txt', 'other\n');
  const { commit } = await packBundle(place);
  good('pushed', await pushBundle(place.folder, remote.root, { ref: refs.out, commit }));
  expect(remote.git('rev-parse', refs.out)).toBe(commit);
  expect(bosun.git('rev-parse', refs.out)).toBe(commit);
  expect(remote.git('for-each-ref', '--format=%(refname)')).toBe(`${refs.out}\nrefs/heads/main`);
});

test('refs are listed and deleted, here and at the remote, idempotently', async () => {
  const { bosun, place, remote } = makeWorld();
  const { commit } = await packBundle(place);
  const other = 'refs/bosun/h2/r9-a1/out';
  for (const ref of [refs.out, refs.back, other]) {
    good('pushed', await pushBundle(place.folder, 'origin', { ref, commit }));
  }
  expect(await listBundles(place.folder, 'origin', 'refs/bosun/h1')).toEqual([refs.back, refs.out]);
  for (const _ of [1, 2]) expect(await dropBundles(place.folder, 'origin', [refs.out, refs.back])).toBe(null);
  expect(await listBundles(place.folder, 'origin', 'refs/bosun/h1/')).toEqual([]);
  expect(remote.git('for-each-ref', '--format=%(refname)', 'refs/bosun')).toBe(other);
  expect(bosun.git('for-each-ref', '--format=%(refname)', 'refs/bosun')).toBe(other);
  expect(await dropBundles(place.folder, 'origin', ['refs/heads/main'])).toMatch(/not one of Bosun's refs/);
  expect(bosun.git('branch', '--show-current')).toBe('main');
});

test('a remote that rejects deletions or pushes, or is gone, is reported in words', async () => {
  const { bosun, place, remote } = makeWorld();
  const { commit } = await packBundle(place);
  good('pushed', await pushBundle(place.folder, 'origin', { ref: refs.out, commit }));
  const hook = join(remote.root, 'hooks', 'update');
  writeFileSync(hook, '#!/bin/sh\ncase "$3" in 000*) echo "never delete" >&2; exit 1;; esac\n', { mode: 0o755 });
  const kept = await dropBundles(place.folder, 'origin', [refs.out]);
  expect(kept).toMatch(/refs\/bosun\/.* could not be deleted: origin rejected it\n[\s\S]*delete refs\/bosun/);
  writeFileSync(join(remote.root, 'hooks', 'pre-receive'), '#!/bin/sh\necho "not here" >&2\nexit 1\n', { mode: 0o755 });
  const refused = await pushBundle(place.folder, 'origin', { ref: refs.back, commit });
  expect(refused).toMatchObject({ kind: 'blocked', why: expect.stringMatching(/origin rejected it\n[\s\S]*not here/) });
  bosun.git('remote', 'set-url', 'origin', `${remote.root}-gone`);
  expect(await dropBundles(place.folder, 'origin', [refs.out])).toMatch(/cannot be reached/);
  await expect(listBundles(place.folder, 'origin', 'refs/bosun/h1')).rejects.toThrow(
    /could not be listed: origin cannot/,
  );
  const lost = await fetchBundle(place.folder, 'origin', { ref: 'refs/bosun/h1/r1-a2/back', commit });
  expect(lost).toMatchObject({
    kind: 'blocked',
    why: expect.stringMatching(/could not be fetched: origin cannot be reached/),
  });
  expect(await pushBundle(place.folder, 'nowhere', { ref: refs.out, commit })).toMatchObject({
    why: /no remote nowhere/,
  });
});

test('only the expected commit is fetched, and never into a regular branch', async () => {
  const { bosun, place } = makeWorld();
  const { commit } = await packBundle(place);
  good('pushed', await pushBundle(place.folder, 'origin', { ref: refs.out, commit }));
  bosun.git('update-ref', '-d', refs.out);
  const head = bosun.git('rev-parse', 'HEAD');
  const other = await fetchBundle(place.folder, 'origin', { ref: refs.out, commit: head });
  expect(other).toMatchObject({ kind: 'blocked', why: expect.stringMatching(/has a different commit there/) });
  for (const ref of [
    'refs/heads/main',
    'refs/bosun/../heads/main',
    'refs/bosun/a b',
    '--upload-pack=x',
    'refs/bosun/x.lock',
  ]) {
    const refused = await fetchBundle(place.folder, 'origin', { ref, commit });
    expect([ref, refused]).toEqual([
      ref,
      expect.objectContaining({ why: expect.stringMatching(/is not a packed checkout/) }),
    ]);
  }
});

test('a returned bundle is fetched from the push address if that differs from the fetch address', async () => {
  const { bosun, place, remote } = makeWorld();
  const fork = join(makeFolder(), 'fork.git');
  bosun.git('init', '-q', '--bare', fork);
  bosun.git('remote', 'set-url', '--push', 'origin', fork);
  const { commit } = await packBundle(place);
  good('pushed', await pushBundle(place.folder, 'origin', { ref: refs.out, commit }));
  expect(await remoteAddress(place.folder, 'origin')).toBe(fork);
  bosun.git('update-ref', '-d', refs.out);
  good('fetched', await fetchBundle(place.folder, 'origin', { ref: refs.out, commit }));
  expect(remote.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
});

test.each([
  ['https://someone:s3cret@git.example/shop.git', 'https://git.example/shop.git'],
  ['https://ghp_s3cret@git.example/shop.git', 'https://git.example/shop.git'],
  ['ssh://git:s3cret@git.example:22/shop.git', 'ssh://git@git.example:22/shop.git'],
  ['git@git.example:shop.git', 'git@git.example:shop.git'],
])('the address %s is shared without its credentials', async (url, told) => {
  const { bosun, place } = makeWorld();
  bosun.git('remote', 'set-url', 'origin', url);
  expect(await remoteAddress(place.folder, 'origin')).toBe(told);
  expect(await remoteAddress(place.folder, url)).toBe(told);
  expect(await remoteAddress(place.folder, 'nowhere')).toBe(null);
});

test('no password appears in messages or in the clone’s config', async () => {
  const { clone, place } = makeWorld();
  const url = 'http://someone:s3cret@127.0.0.1:1/shop.git';
  const { commit } = await packBundle(place);
  const answers = [
    await pushBundle(place.folder, url, { ref: refs.out, commit }),
    await fetchBundle(place.folder, url, { ref: refs.back, commit }),
    await dropBundles(place.folder, url, [refs.out]),
    await openClone(clone, url),
  ];
  expect(JSON.stringify(answers)).not.toMatch(/s3cret|someone/);
  expect(JSON.stringify(answers)).toMatch(/127\.0\.0\.1:1/);
  const world = makeWorld();
  vi.stubEnv('GIT_CONFIG_COUNT', '1');
  vi.stubEnv('GIT_CONFIG_KEY_0', `url.${world.remote.root}.insteadOf`);
  vi.stubEnv('GIT_CONFIG_VALUE_0', 'https://git.example/shop.git');
  good('ready', await openClone(world.clone, 'https://someone:s3cret@git.example/shop.git'));
  vi.unstubAllEnvs();
  expect(openRepository(world.clone).read('config')).toContain('url = https://git.example/shop.git');
  expect(openRepository(world.clone).read('config')).not.toContain('s3cret');
});
