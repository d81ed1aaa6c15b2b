import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { codingAgents } from '../../src/agents/index.js';
import type { BosunError } from '../../src/base/error.js';
import {
  addExecutor,
  addProject,
  agentsHere,
  type Config,
  editConfig,
  ensureAi,
  initProject,
  listMembers,
  loadConfig,
  nameOfFolder,
  removeMember,
  setMember,
  setPerson,
  watchConfig,
} from '../../src/config/index.js';
import type { Home } from '../open-home.js';
import { failureOf, newFolder, newHome, newProject } from './given.js';

const textOf = (home: Home): string => readFileSync(home.configPath, 'utf8');

describe('editing config.yaml', () => {
  const before = `# mine
web: { port: 1 }   # the port

projects:
  # the shop
  shop:
    root: /srv/shop # here
    members: { ada: owner }
`;

  it('keeps comments, order and untouched parts', () => {
    const home = newHome(before);
    setMember(home, {}, 'SHOP', { person: 'bob', role: 'reviewer' });
    addProject(home, {}, { name: 'blog', root: '/srv/blog', aliases: ['B'], level: 'semi' });
    expect(textOf(home)).toBe(`# mine
web: { port: 1 } # the port

projects:
  # the shop
  shop:
    root: /srv/shop # here
    members: { ada: owner, bob: reviewer }
  blog:
    root: /srv/blog
    aliases:
      - B
    level: semi
`);
    expect(statSync(home.configPath).mode & 0o777).toBe(0o600);
    expect(readdirSync(home.dir).sort()).toEqual(['config.yaml', 'secret', 'token']);
  });

  it.each(['', '# only a comment\n', 'projects:\n', 'projects: {}\n'])('adds to a file like %j', (text) => {
    const home = newHome(text);
    addProject(home, {}, { name: 'shop', root: '/srv/shop' });
    expect(loadConfig(home, {}).projects).toHaveLength(1);
    expect(textOf(home)).toContain(
      text.startsWith('#') ? '# only a comment' : 'projects:\n  shop:\n    root: /srv/shop\n',
    );
  });

  it('keeps the comment of an empty key', () => {
    const home = newHome('projects: # mine\n');
    addProject(home, {}, { name: 'shop', root: '/srv/shop' });
    expect(textOf(home)).toMatch(/^projects:\s+# mine\n/);
  });

  it('creates a missing file', () => {
    const home = newHome();
    addExecutor(home, {}, 'agent', { kind: 'command', run: ['./agent.sh'] });
    expect(loadConfig(home, {}).executors).toEqual({
      agent: { kind: 'command', run: ['./agent.sh'], wrap: [], env: {}, passEnv: [] },
    });
  });

  it('writes nothing that would be invalid', () => {
    const home = newHome(before);
    const failure = failureOf(() => addProject(home, {}, { name: 'Blog', root: '/srv/blog' }));
    expect(failure).toMatchObject({ code: 'bad_config', hint: 'Nothing was changed.' });
    expect(failure.message).toContain('a name must be a lowercase letter');
    expect(textOf(home)).toBe(before);
  });

  it('refuses to change a file that is already invalid', () => {
    const home = newHome('webb: 1\n');
    const failure = failureOf(() => editConfig(home, {}, (document) => document.set('web', {})));
    expect(failure.message).toContain(':1:1: unknown key "webb"');
    expect(failure.hint).toContain('first');
    writeFileSync(home.configPath, 'web: [\n');
    expect(failureOf(() => editConfig(home, {}, () => undefined)).code).toBe('bad_config');
  });

  it('retries when the file changed meanwhile, so that neither change is lost', () => {
    const home = newHome('web: { port: 1 }\n');
    let isFirst = true;
    editConfig(home, {}, (document) => {
      if (isFirst) writeFileSync(home.configPath, 'web: { host: localhost }\n');
      isFirst = false;
      document.setIn(['web', 'port'], 2);
    });
    expect(loadConfig(home, {}).web).toEqual({ port: 2, host: 'localhost' });
  });

  it('gives up on a file that keeps changing', () => {
    const home = newHome('');
    let port = 0;
    const restless = (): void => {
      port += 1;
      writeFileSync(home.configPath, `web: { port: ${port} }\n`);
    };
    expect(failureOf(() => editConfig(home, {}, restless)).code).toBe('busy_home');
  });

  it('keeps the layout when nothing changes', () => {
    const text = 'web:   {port:    1}\n';
    const home = newHome(text);
    editConfig(home, {}, () => undefined);
    expect(textOf(home)).toBe(text);
  });

  it('keeps a symlink and writes to its target', () => {
    const home = newHome();
    const elsewhere = join(newFolder(), 'dotfile.yaml');
    writeFileSync(elsewhere, 'web: { port: 1 }\n');
    symlinkSync(elsewhere, home.configPath);
    addProject(home, {}, { name: 'shop', root: '/srv/shop' });
    expect(lstatSync(home.configPath).isSymbolicLink()).toBe(true);
    expect(readFileSync(elsewhere, 'utf8')).toContain('shop');
  });

  it('adds an executor and keeps existing projects on theirs', () => {
    const home = newHome('executors: { a: { kind: command, run: [a] } }\nprojects: { shop: { root: /srv/shop } }\n');
    const config = addExecutor(home, {}, 'b', { kind: 'script', file: 'b.yaml' });
    expect(config.projects[0]?.executor).toBe('a');
    expect(failureOf(() => addExecutor(home, {}, 'b', { kind: 'script', file: 'c' })).code).toBe('not_now');
  });

  it('adds, changes, lists and removes members', () => {
    const home = newHome(before);
    setMember(home, {}, 'shop', { person: 'ada', role: 'viewer' });
    const config = setMember(home, {}, 'shop', { person: 'bob', role: 'operator' });
    expect(listMembers(config, 'shop')).toEqual([
      { person: 'ada', role: 'viewer' },
      { person: 'bob', role: 'operator' },
    ]);
    expect(listMembers(removeMember(home, {}, 'shop', 'ada'), 'shop')).toEqual([{ person: 'bob', role: 'operator' }]);
    expect(failureOf(() => removeMember(home, {}, 'shop', 'ada'))).toMatchObject({ code: 'not_found' });
    expect(failureOf(() => listMembers(config, 'shp'))).toMatchObject({
      code: 'not_found',
      message: 'No project "shp"; did you mean "shop"?',
    });
  });

  it('stores the platform ids of a person', () => {
    const home = newHome(before);
    setPerson(home, {}, 'ada', { telegram: 7 });
    expect(setPerson(home, {}, 'ada', { slack: 'U01' }).people).toEqual([
      { name: 'ada', accounts: { telegram: 7, slack: 'U01' }, group: null, prefers: null },
    ]);
  });
});

describe('init', () => {
  it('registers the folder under its own name and creates .ai', () => {
    const [home, root] = [newHome(), newProject('My Shop (2)')];
    const project = initProject(home, {}, { root, aliases: ['A'], level: 'manual' });
    expect(project).toMatchObject({ name: 'my-shop-2', root, aliases: ['A'], level: 'manual' });
    expect(statSync(join(root, '.ai')).isDirectory()).toBe(true);
    expect(loadConfig(home, {}).projects).toEqual([project]);
  });

  it('accepts a coding agent by its name and passes on the variables it logs in with', () => {
    const [home, root, other] = [newHome(), newProject(), newProject('other')];
    const env = { ANTHROPIC_API_KEY: 'sk-1', OPENAI_API_KEY: '' };
    expect(initProject(home, env, { root, executor: 'claude' }).executor).toBe('claude');
    expect(loadConfig(home, env).executors['claude']).toMatchObject({ kind: 'claude', passEnv: ['ANTHROPIC_API_KEY'] });
    initProject(home, env, { root: other, executor: 'codex' });
    expect(loadConfig(home, env).executors['codex']).toMatchObject({ kind: 'codex', passEnv: [] });
    expect(loadConfig(home, env).projects.map(({ executor }) => executor)).toEqual(['claude', 'codex']);
  });

  it('gives a project a hook secret when Bosun listens on other addresses', () => {
    const here = newHome();
    expect(initProject(here, { HOOK_SECRET: 's' }, { root: newProject() }).hookSecret).toBeNull();
    const open = newHome('web: { host: 0.0.0.0 }\n');
    const [own, other] = [newProject(), newProject('other')].map((root) => initProject(open, {}, { root }).hookSecret);
    expect(own).toMatch(/^[0-9a-f]{64}$/);
    expect(other).not.toBe(own);
    const env = { HOOK_SECRET: 'of-the-environment' };
    expect(initProject(open, env, { root: newProject('third') }).hookSecret).toBe('of-the-environment');
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what the file says
    expect(textOf(open)).toContain('hook_secret: ${HOOK_SECRET}');
  });

  it('detects the installed coding agents', () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'codex'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(join(folder, 'claude'), 'not a program', { mode: 0o644 });
    expect(agentsHere(codingAgents, { PATH: `/nowhere:${folder}` }).map(({ kind }) => kind)).toEqual(['codex']);
    expect(agentsHere(codingAgents, {})).toEqual([]);
  });

  it('accepts a folder whose name looks like a variable', () => {
    const [home, root] = [newHome(), newProject(`\${HOME}`)];
    expect(initProject(home, { HOME: '/x' }, { root, name: 'odd' }).root).toBe(root);
  });

  it('accepts a folder below the git root', () => {
    const root = join(newProject(), 'packages', 'web');
    mkdirSync(root, { recursive: true });
    expect(initProject(newHome(), {}, { root }).name).toBe('web');
  });

  const taken = newProject;
  const refusals: readonly (readonly [string, () => object, object])[] = [
    ['a folder that is not there', () => ({ root: join(newFolder(), 'none') }), { code: 'not_found' }],
    ['a file', () => ({ root: import.meta.filename }), { code: 'not_found' }],
    ['a folder without git', () => ({ root: newFolder() }), { code: 'git', hint: expect.stringContaining('git init') }],
    [
      'a name in use',
      () => ({ root: taken(), name: 'blog' }),
      { code: 'not_now', hint: expect.stringContaining('--name') },
    ],
    ['a name that is an alias', () => ({ root: taken(), name: 'b' }), { code: 'not_now' }],
    ['an alias in use', () => ({ root: taken(), aliases: ['Blog'] }), { hint: expect.stringContaining('--alias') }],
    ['a name that cannot be one', () => ({ root: taken(), name: 'My Shop' }), { code: 'bad_input' }],
    ['a name of the grammar', () => ({ root: taken(), name: 'status' }), { code: 'bad_input' }],
    [
      'an unknown executor',
      () => ({ root: taken(), executor: 'agnt' }),
      {
        code: 'not_found',
        message: 'executor "agnt" does not exist; did you mean "agent"?',
      },
    ],
    ['an unknown level', () => ({ root: taken(), level: 'full' }), { code: 'bad_config' }],
  ];

  it.each(refusals)('refuses %s and changes nothing', (_, request, expected) => {
    const text =
      'executors: { agent: { kind: command, run: [a] } }\nprojects: { blog: { root: /srv/blog, aliases: [B] } }\n';
    const home = newHome(text);
    const asked = { root: '', ...request() };
    expect(failureOf(() => initProject(home, {}, asked))).toMatchObject(expected);
    expect(textOf(home)).toBe(text);
    expect(existsSync(join(asked.root, '.ai'))).toBe(false);
  });

  it('refuses a folder that is already registered, by any path', () => {
    const [home, root] = [newHome(), newProject()];
    initProject(home, {}, { root });
    const link = join(newFolder(), 'link');
    symlinkSync(root, link);
    for (const again of [root, link]) {
      expect(failureOf(() => initProject(home, {}, { root: again, name: 'other' }))).toMatchObject({
        code: 'not_now',
        message: `${root} is already the project "shop"`,
      });
    }
  });

  it('refuses to overwrite existing state unless told to', () => {
    const [home, root] = [newHome(), newProject()];
    mkdirSync(join(root, '.ai'));
    writeFileSync(join(root, '.ai', 'STATE.json'), '{}');
    expect(failureOf(() => initProject(home, {}, { root }))).toMatchObject({ code: 'not_now' });
    expect(failureOf(() => ensureAi(root, { isSettled: false })).message).toContain('STATE.json');
    expect(existsSync(home.configPath)).toBe(false);
    expect(initProject(home, {}, { root, isSettled: true }).name).toBe('shop');
  });

  it.each([
    ['/x/Shop', 'shop'],
    ['/x/2048', 'project-2048'],
    ['/x/Über_Café!', 'uber_cafe'],
    ['/x/日本', 'project'],
    ['/', 'project'],
    [`/x/${'a'.repeat(90)}`, 'a'.repeat(40)],
  ])('derives a project name from the folder %s', (root, name) => {
    expect(nameOfFolder(root)).toBe(name);
  });
});

describe('watching config.yaml', () => {
  const watches: { close(): void }[] = [];
  afterEach(() => {
    for (const watch of watches.splice(0)) watch.close();
  });

  /** What the watch tells, one after another. */
  function watching(home: Home, from: Config = loadConfig(home, {}), recheckMs = 60_000) {
    const told: (Config | BosunError)[] = [];
    let wake = (): void => undefined;
    const tell = (it: Config | BosunError): void => {
      told.push(it);
      wake();
    };
    watches.push(watchConfig(home, { config: from, env: {}, onChange: tell, onBad: tell, recheckMs }));
    return {
      told,
      async next(): Promise<Config | BosunError> {
        if (told.length === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        const first = told.shift();
        if (first === undefined) throw new Error('nothing was told');
        return first;
      },
    };
  }

  it('reports a new configuration, also when an editor replaces the file', async () => {
    const home = newHome('web: { port: 1 }\n');
    const watch = watching(home);
    writeFileSync(home.configPath, 'web: { port: 2 }\n');
    expect(await watch.next()).toMatchObject({ web: { port: 2 } });
    for (const port of [3, 4]) {
      writeFileSync(`${home.configPath}.swp`, `web: { port: ${port} }\n`);
      renameSync(`${home.configPath}.swp`, home.configPath);
      expect(await watch.next()).toMatchObject({ web: { port } });
    }
    rmSync(home.configPath);
    expect(await watch.next()).toMatchObject({ web: { port: 7420 } });
  });

  it('reports an invalid file once and keeps watching', async () => {
    const home = newHome('web: { port: 1 }\n');
    const watch = watching(home);
    writeFileSync(home.configPath, 'webb: 1\n');
    expect(await watch.next()).toMatchObject({ code: 'bad_config', message: expect.stringContaining(':1:1:') });
    writeFileSync(home.configPath, 'webb: 1\n');
    writeFileSync(home.configPath, 'web: { port: 5 }\n');
    expect(await watch.next()).toMatchObject({ web: { port: 5 } });
    expect(watch.told).toEqual([]);
  });

  it('reports a change made before the watch began', async () => {
    const home = newHome('web: { port: 1 }\n');
    const config = loadConfig(home, {});
    writeFileSync(home.configPath, 'web: { port: 2 }\n');
    expect(await watching(home, config).next()).toMatchObject({ web: { port: 2 } });
  });

  it('finds a change without a file system event', async () => {
    const home = newHome('web: { port: 1 }\n');
    const watch = watching(home, loadConfig(home, {}), 20);
    writeFileSync(home.configPath, 'web: { port: 2 }\n');
    expect(await watch.next()).toMatchObject({ web: { port: 2 } });
    const away = join(dirname(home.dir), `${basename(home.dir)}-away`);
    renameSync(home.dir, away);
    mkdirSync(home.dir);
    writeFileSync(home.configPath, 'web: { port: 3 }\n');
    const ports: number[] = [];
    while (ports.at(-1) !== 3) {
      const next = await watch.next();
      if ('web' in next) ports.push(next.web.port);
    }
    expect(ports.length).toBeLessThanOrEqual(2);
  });

  it('reports a file that cannot be read', async () => {
    const home = newHome('web: { port: 1 }\n');
    const watch = watching(home);
    rmSync(home.configPath);
    mkdirSync(home.configPath);
    expect(await watch.next()).toMatchObject({ code: 'disk' });
  });
});
