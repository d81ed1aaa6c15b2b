import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Envelope, emptyEnvelope } from '../../../src/engine/index.js';
import type { AttemptSpec } from '../../../src/jobs/attempt-spec.js';
import { envelopeThere, placesFor, placesOf, specHere } from '../../../src/worker/remote/path-mapping.js';
import { aJob } from '../../store/values.js';

const shop = placesOf([
  { there: '/srv/shop/.ai/runs/r1', here: '/home/w/shared' },
  { there: '/srv/shop', here: '/home/w/tree/shop' },
]);

describe('paths in a job', () => {
  it.each([
    ['/srv/shop', '/home/w/tree/shop'],
    ['/srv/shop/a', '/home/w/tree/shop/a'],
    ['"/srv/shop"', '"/home/w/tree/shop"'],
    ['file:///srv/shop/a.ts', 'file:///home/w/tree/shop/a.ts'],
    ['It lies in /srv/shop. Read it.', 'It lies in /home/w/tree/shop. Read it.'],
    ['/srv/shop...', '/home/w/tree/shop...'],
    ['cd /srv/shop&&ls', 'cd /home/w/tree/shop&&ls'],
    ['--dir=/srv/shop', '--dir=/home/w/tree/shop'],
    ['-v /srv/shop:/work:rw', '-v /home/w/tree/shop:/work:rw'],
    ['gcc -I/srv/shop/include', 'gcc -I/home/w/tree/shop/include'],
    ['PATH=/bin:/srv/shop/bin', 'PATH=/bin:/home/w/tree/shop/bin'],
    ['(/srv/shop)', '(/home/w/tree/shop)'],
    [String.raw`{"a":"x\n/srv/shop"}`, String.raw`{"a":"x\n/home/w/tree/shop"}`],
    ['/srv/shop/.ai/runs/r1/progress.txt', '/home/w/shared/progress.txt'],
    ['/srv/shop/.ai/runs/r10', '/home/w/tree/shop/.ai/runs/r10'],
    ['/srv/shop /srv/shop\n/srv/shop/b', '/home/w/tree/shop /home/w/tree/shop\n/home/w/tree/shop/b'],
  ])('are translated as whole folders: %s', (there, here) => {
    expect(shop.here(there)).toBe(here);
    expect(shop.there(here)).toBe(there);
  });

  it.each([
    ...['/srv/shop2', '/srv/shop-old/a', '/srv/shop.git', '/srv/shop_x', '/srv/shopü', '/srv/shop~', '/srv/shop%20b'],
    ...[
      '/mnt/srv/shop',
      './srv/shop',
      '../srv/shop',
      '$ROOT/srv/shop',
      '/',
      'srv/shop',
      '/srv',
      'https://x.y/srv/shop',
    ],
  ])('are left alone if they are other paths: %s', (text) => {
    expect(shop.here(text)).toBe(text);
  });

  it('survive a round trip in any context', () => {
    const word = fc.constantFrom(
      '/srv/shop',
      '/srv/shop/.ai/runs/r1',
      '/a.ts',
      '2',
      '-x',
      '.',
      '. ',
      ' ',
      '"',
      ':',
      '(',
      ')',
    );
    const other = fc.constantFrom('\n', '\\n', '=', 'é', '/', 'file://', '-I', '$', '@', '\u{1F600}', '\\', '%20', 'b');
    fc.assert(
      fc.property(fc.array(fc.oneof(word, word, other), { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        expect(shop.there(shop.here(text))).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are not translated twice', () => {
    const inner = placesOf([{ there: '/srv', here: '/home/srv/srv' }]);
    expect(inner.here('/srv/a')).toBe('/home/srv/srv/a');
    expect(inner.there('/home/srv/srv/a')).toBe('/srv/a');
  });
});

const token = '/srv/shop';
const spec: AttemptSpec = {
  ...aJob('a1').payload,
  token,
  prompt: 'Work in /srv/shop, look at /srv/shop2, log to /srv/shop/.ai/runs/r1/progress.txt.',
  resume: { session: '/srv/shop', prompt: 'go on in /srv/shop' },
  executor: {
    kind: 'command',
    run: ['/srv/shop/agent.sh'],
    env: {},
    passEnv: [],
    wrap: ['docker', '-v', '/srv/shop:/w'],
  },
  root: '/srv/shop',
  workdir: '/srv/shop',
  sharedDir: '/srv/shop/.ai/runs/r1',
  logPath: '/srv/shop/.ai/runs/r1/logs/_/impl.jsonl',
  check: 'make -C /srv/shop',
  tests: { run: '/srv/shop/test.sh', format: 'tap' },
  ownerLines: ['make -C /srv/shop'],
  grants: [{ tool: 'Edit', what: '/srv/shop/a.ts', mark: '/srv/shop' }],
  team: [{ role: 'a', prompt: 'in /srv/shop', writes: ['src/**'], turn: 0 }],
};

describe('a translated job', () => {
  const ground = { top: '/w/tree', folder: '/w/tree', shared: '/w/tree/.ai/runs/r1' };

  it('names only folders of this machine, and keeps its token, session and marks', () => {
    const here = specHere(spec, placesFor(spec, ground));
    const { token: own, resume, grants, ...rest } = here;
    expect([own, resume, grants]).toEqual([
      token,
      { session: '/srv/shop', prompt: 'go on in /w/tree' },
      [{ tool: 'Edit', what: '/w/tree/a.ts', mark: '/srv/shop' }],
    ]);
    expect(JSON.stringify(rest).replaceAll('/srv/shop2', '')).not.toContain('/srv/shop');
    expect(here.prompt).toBe('Work in /w/tree, look at /srv/shop2, log to /w/tree/.ai/runs/r1/progress.txt.');
    expect(here.logPath).toBe('/w/tree/.ai/runs/r1/logs/_/impl.jsonl');
    expect(here.executor).toMatchObject({ run: ['/w/tree/agent.sh'], wrap: ['docker', '-v', '/w/tree:/w'] });
  });

  it('of an item uses one checkout for worktree and project', () => {
    const story = {
      ...spec,
      workdir: '/home/b/.bosun/worktrees/shop/1',
      prompt: '/srv/shop/a /home/b/.bosun/worktrees/shop/1/a',
    };
    const places = placesFor(story, { top: '/w/tree', folder: '/w/tree', shared: '/w/shared/r1' });
    const here = specHere(story, places);
    expect([here.root, here.workdir, here.sharedDir]).toEqual(['/w/tree', '/w/tree', '/w/shared/r1']);
    expect(here.prompt).toBe('/w/tree/a /w/tree/a');
    expect(places.there('/w/tree/a')).toBe('/home/b/.bosun/worktrees/shop/1/a');
  });

  it('in a subfolder translates paths beside it in the repository too', () => {
    const inner = { ...spec, root: '/srv/all/shop', workdir: '/srv/all/shop', sharedDir: '/srv/all/shop/.ai/runs/r1' };
    const places = placesFor(inner, { top: '/w/tree', folder: '/w/tree/shop', shared: '/w/tree/shop/.ai/runs/r1' });
    expect(places.here('/srv/all/shop/a /srv/all/lib/b /srv/all2')).toBe('/w/tree/shop/a /w/tree/lib/b /srv/all2');
    expect(places.there('/w/tree/lib/b')).toBe('/srv/all/lib/b');
  });

  it('has its envelope translated back to Bosun’s paths, except marks and sessions', () => {
    const envelope: Envelope = {
      ...emptyEnvelope,
      fault: { code: 'x', message: 'no /w/tree/a' },
      logPath: '/w/tree/.ai/runs/r1/logs/_/impl.jsonl',
      session: '/w/tree',
      asks: [
        {
          kind: 'permission',
          text: 'Edit /w/tree/a',
          options: [],
          permission: { tool: 'Edit', what: '/w/tree/a', mark: '/w/tree' },
        },
      ],
      checks: [
        {
          name: 'check',
          command: 'make -C /w/tree',
          ok: true,
          exit: 0,
          timedOut: false,
          tests: null,
          tail: '/w/tree2',
        },
      ],
    };
    const back = envelopeThere(envelope, placesFor(spec, ground));
    expect(back.fault?.message).toBe('no /srv/shop/a');
    expect(back.logPath).toBe(spec.logPath);
    expect(back.session).toBe('/w/tree');
    expect(back.asks?.[0]?.permission).toEqual({ tool: 'Edit', what: '/srv/shop/a', mark: '/w/tree' });
    expect(back.checks[0]).toMatchObject({ command: 'make -C /srv/shop', tail: '/w/tree2' });
  });
});
