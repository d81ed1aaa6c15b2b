import { mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verbRows } from '../../src/bot/grammar/index.js';
import { type Config, checkConfig, loadConfig, projectNamed, projectWithName } from '../../src/config/index.js';
import { failureOf, newFolder, newHome, problemsOf, reading } from './given.js';

const full = `
executors:
  agent:  { kind: command, run: ["./agent.sh"], env: { A: "1" }, pass_env: [B] }
  play:   { kind: script, file: ~/answers.yaml }
  claude: { kind: claude, program: /opt/claude, model: sonnet, args: [], permission: ask, tools: [WebFetch], wrap: [nice],
            answer_within_s: 60, prices: { input: 3, cached: 0.3, output: 15 }, roles: { planner: { model: opus } } }
  acp: { kind: acp, run: [gemini, --acp], permission: deny }
projects:
  shop: { root: /srv/shop, aliases: [A], workflow: micro-waterfall, executor: agent, level: semi, deliver: commit,
          lint: "npm run lint", check: "npm run typecheck", tests: { run: "npm test", format: vitest },
          members: { ada: owner, eve: reviewer }, budget: { run_usd: 5, day_usd: 20, project_usd: 900 },
          chats: [ { telegram: -1001234, topic: 7 }, { slack: C01GEN } ], after_story: start,
          webhooks: [ { url: "http://127.0.0.1:1/in", secret: s3, events: [run] } ],
          worktree: { setup: npm ci, link: [node_modules] }, stall_after_s: 90,
          quiet_hours: { from: "21:00", to: "06:30", zone: Asia/Kolkata }, hook_secret: "\${HOOK}", git: { remote: origin, base: main } }
people:
  ada: { telegram: 1000, slack: U01ADA, prefers: slack }
channels:
  telegram: { token: "\${TELEGRAM_BOT_TOKEN}", api_root: "\${TELEGRAM_API_ROOT}" }
  slack:    { bot_token: "\${SLACK_BOT_TOKEN}", app_token: "\${SLACK_APP_TOKEN}", signing_secret: "\${SLACK_SIGNING_SECRET}", api_url: "\${SLACK_API_URL}" }
queue:      { redis: "\${REDIS_URL}" }
web:        { port: "\${PORT}", host: 0.0.0.0 }
quiet_hours: { from: "22:00", to: "07:00" }
`;

function good(text: string, env: Record<string, string> = {}): Config {
  const read = reading(text, env);
  if (read.kind === 'good') return read.config;
  throw new Error(read.problems.map(({ message }) => message).join('\n'));
}

const one = (project: string): string =>
  `executors: { agent: { kind: command, run: [a] } }\nprojects: { shop: { root: /srv/shop${project} } }\n`;

describe('config.yaml', () => {
  it('holds 2,000 projects', () => {
    expect(good(`projects: { ${manyProjects(2_000)} }`).projects).toHaveLength(2_000);
  });

  it('is read with all its keys', () => {
    const config = good(full, { HOME: '/home/ada', HOOK: 'hush', TELEGRAM_BOT_TOKEN: '1:t', PORT: '80' });
    expect(config).toMatchObject({
      executors: {
        agent: { kind: 'command', run: ['./agent.sh'], env: { A: '1' }, passEnv: ['B'] },
        play: { kind: 'script', file: '/home/ada/answers.yaml' },
        claude: { kind: 'claude', model: 'sonnet', args: [], permission: 'ask', answerWithinMs: 60_000 },
        acp: { kind: 'acp', permission: 'deny', program: null, own: { run: ['gemini', '--acp'] } },
      },
      people: [
        { name: 'ada', accounts: { telegram: 1000, slack: 'U01ADA' }, prefers: 'slack' },
        { name: 'eve', accounts: {}, prefers: null },
      ],
      channels: { telegram: { token: '1:t', apiRoot: null, webhook: null }, slack: null },
      queue: { redis: null, leaseMs: 15_000, perProject: null, perKind: {} },
      web: { port: 80, host: '0.0.0.0' },
    });
    expect(config.projects).toEqual([
      {
        name: 'shop',
        root: '/srv/shop',
        aliases: ['A'],
        workflow: 'micro-waterfall',
        executor: 'agent',
        fallbacks: [],
        fallbackAfterMs: 300_000,
        level: 'semi',
        deliver: 'commit',
        lint: 'npm run lint',
        check: 'npm run typecheck',
        tests: { run: 'npm test', format: 'vitest' },
        members: { ada: 'owner', eve: 'reviewer' },
        budget: { runUsd: 5, dayUsd: 20, projectUsd: 900, zone: null },
        chats: [
          { channel: 'telegram', chat: -1001234, topic: 7 },
          { channel: 'slack', chat: 'C01GEN', topic: null },
        ],
        afterStory: 'start',
        afterRun: 'start',
        words: 'ask',
        hookSecret: 'hush',
        webhooks: [{ url: 'http://127.0.0.1:1/in', secret: 's3', events: ['run'] }],
        worktree: { setup: 'npm ci', link: ['node_modules'] },
        stallAfterMs: 90_000,
        asksPrivately: true,
        quietHours: { fromMinute: 21 * 60, toMinute: 6 * 60 + 30, zone: 'Asia/Kolkata', questionsRing: false },
        git: { remote: 'origin', base: 'main', largeFileBytes: 10_485_760, coAuthor: true },
      },
    ]);
  });

  it('needs only the root of a project', () => {
    expect(good(one('')).projects[0]).toEqual({
      name: 'shop',
      root: '/srv/shop',
      aliases: [],
      workflow: 'quick',
      executor: 'agent',
      fallbacks: [],
      fallbackAfterMs: 300_000,
      level: 'auto',
      deliver: 'commit',
      lint: null,
      check: null,
      tests: null,
      members: {},
      budget: { runUsd: null, dayUsd: null, projectUsd: null, zone: null },
      chats: [],
      afterStory: null,
      afterRun: 'start',
      words: 'ask',
      hookSecret: null,
      webhooks: [],
      worktree: { setup: null, link: null },
      stallAfterMs: 600_000,
      asksPrivately: true,
      quietHours: null,
      git: { remote: null, base: null, largeFileBytes: 10_485_760, coAuthor: true },
    });
  });

  it.each(['', '# nothing yet\n', 'projects:\nchannels:\n  telegram:\n'])('may be empty: %j', (text) => {
    expect(good(text)).toMatchObject({ projects: [], executors: {}, channels: { telegram: null, slack: null } });
  });

  it('has the age at which runs are archived, as a number or from a variable, or leaves it open', () => {
    const of = (own: string) => good(`executors: { agent: { kind: command, run: [a] } }\n${own}`).archiveAfterDays;
    expect([of(''), of('archive: { after_days: 7 }'), of('archive: { after_days: "0" }')]).toEqual([null, 7, 0]);
  });

  it('has quiet hours for all projects, except those with their own or none', () => {
    const project = (own: string) => `executors: { agent: { kind: command, run: [a] } }
quiet_hours: { from: "22:00", to: "07:00", zone: Europe/Berlin }
projects: { shop: { root: /srv/shop${own} } }
`;
    const of = (own: string) => good(project(own)).projects[0]?.quietHours;
    expect(of('')).toEqual({ fromMinute: 1320, toMinute: 420, zone: 'Europe/Berlin', questionsRing: false });
    expect(of(', quiet_hours: { from: "12:00", to: "13:15", zone: UTC }')).toMatchObject({
      toMinute: 795,
      zone: 'UTC',
    });
    expect(of(', quiet_hours: { from: "00:00", to: "00:00" }')).toBeNull();
    expect(of(', quiet_hours: { from: "12:00", to: "13:00" }')?.zone).toMatch(/./);
  });

  it.each([
    ['{ from: "24:00", to: "07:00" }', 'a time such as "22:00"'],
    ['{ from: "22:00" }', 'quiet_hours.to is missing'],
    ['{ from: "22:00", to: "07:00", zone: Berlin }', 'a time zone such as Europe/Berlin'],
    ['{ form: "22:00", to: "07:00" }', 'did you mean "from"'],
    ['"22-7"', 'a map of keys'],
  ])('rejects quiet hours like %s', (written, message) => {
    expect(problemsOf(`quiet_hours: ${written}\n`).join('\n')).toContain(message);
  });

  it('may be absent', () => {
    expect(loadConfig(newHome(), {})).toMatchObject({ projects: [], web: { port: 7420, host: '127.0.0.1' } });
    const open = good('web: { public_url: "https://bosun.example.org/x/" }');
    expect(open.web.publicUrl).toBe('https://bosun.example.org/x');
  });

  it('resolves relative roots from its own folder and ~ from the home of the user', () => {
    const home = newHome('projects: { a: { root: ../code }, b: { root: ~/b }, c: { root: "~" } }');
    const roots = loadConfig(home, { HOME: '/home/ada' }).projects.map(({ root }) => root);
    expect(roots).toEqual([join(home.dir, '..', 'code'), '/home/ada/b', '/home/ada']);
  });

  it('finds the home of the user when the environment names none', () => {
    expect(good('projects: { c: { root: "~" } }').projects[0]?.root).toMatch(/^\/./);
  });

  it('finds a project by name or alias in any case', () => {
    const config = good('projects: { shop: { root: /a, aliases: [A] }, blog: { root: /b, aliases: [weblog] } }');
    const found = ['shop', 'SHOP', 'a', 'A', 'WebLog', 'none'].map((said) => projectNamed(config, said)?.name ?? null);
    expect(found).toEqual(['shop', 'shop', 'shop', 'shop', 'blog', null]);
    const projects = config.projects.map((one) => (one.name === 'blog' ? one : { ...one, aliases: ['blog'] }));
    expect(projectNamed({ ...config, projects }, 'Blog')?.name).toBe('blog');
  });

  it('finds a project among thousands without a look at each', () => {
    let looks = 0;
    const projects = Array.from({ length: 5_000 }, (_, at) => ({
      get name() {
        looks += 1;
        return `p${at}`;
      },
    }));
    const config = { projects: projects as unknown as Config['projects'] };
    expect(projectWithName(config, 'p4999')).toBe(projects[4_999]);
    looks = 0;
    expect(projectWithName(config, 'p2500')).toBe(projects[2_500]);
    expect(projectWithName(config, 'none')).toBeNull();
    expect(looks).toBe(0);
  });

  it('needs only the kind of a coding agent', () => {
    expect(good('executors: { claude: { kind: claude } }').executors['claude']).toEqual({
      kind: 'claude',
      program: null,
      model: null,
      args: [],
      permission: 'ask',
      tools: [],
      env: {},
      passEnv: [],
      wrap: [],
      answerWithinMs: 600_000,
      prices: null,
      roles: {},
    });
  });

  it('has every key and a valid example in docs/configuration.md', () => {
    const page = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
    const own = ['agent', 'play', 'planner', 'shop', 'ada', 'eve'];
    const keys = [...full.matchAll(/([a-z_]+): /g)].map((match) => String(match[1])).filter((it) => !own.includes(it));
    expect(keys.length).toBeGreaterThan(40);
    expect(keys.filter((key) => !new RegExp(`[\`.]${key}\``).test(page))).toEqual([]);
    expect(good(String(/```yaml\n(.*?)```/s.exec(page)?.[1])).projects).toHaveLength(1);
  });
});

describe('variables in config.yaml', () => {
  it('are replaced from the environment, also inside a text', () => {
    expect(
      good(`queue: { redis: "redis://\${USER_NAME}@h:\${PORT}" }`, { USER_NAME: 'u', PORT: '1' }).queue.redis,
    ).toBe('redis://u@h:1');
  });

  it('switch a feature off when they are absent or empty', () => {
    const text = `channels: { telegram: { token: "\${T}" } }\nweb: { port: "\${P}", host: "\${H}" }`;
    for (const env of [{}, { T: '', P: '', H: '' }]) {
      expect(good(text, env)).toMatchObject({ channels: { telegram: null }, web: { port: 7420, host: '127.0.0.1' } });
    }
  });

  it('switch the Telegram webhook on by its URL, whose path is added if missing', () => {
    const text = `channels: { telegram: { token: t, webhook: { url: "\${U}", secret: "\${S}" } } }`;
    const webhookOf = (env: Record<string, string>) => good(text, env).channels.telegram?.webhook;
    expect(webhookOf({})).toBeNull();
    expect(webhookOf({ U: 'https://Bosun.example.org/' })).toEqual({
      url: 'https://bosun.example.org/telegram/webhook',
      secret: null,
    });
    expect(webhookOf({ U: 'http://[::1]:7420/b/telegram/webhook', S: 'a-secret-of-ours-' })).toEqual({
      url: 'http://[::1]:7420/b/telegram/webhook',
      secret: 'a-secret-of-ours-',
    });
  });

  it('switch Slack on by its bot token', () => {
    const text = `channels: { slack: { bot_token: "\${B}", app_token: "\${A}" } }`;
    expect(good(text, { B: 'b', A: 'a' }).channels.slack).toEqual({
      botToken: 'b',
      appToken: 'a',
      signingSecret: null,
      apiUrl: null,
      mode: 'socket',
      allowGuests: false,
      allowSharedChannels: false,
    });
    expect(good(text, { A: 'a' }).channels.slack).toBeNull();
  });

  it('stay as they are behind a second dollar sign', () => {
    expect(good(one(`, lint: "echo $\${HOME} $HOME"`), { HOME: '/h' }).projects[0]?.lint).toBe(`echo \${HOME} $HOME`);
  });
});

const manyProjects = (count: number) =>
  Array.from({ length: count }, (_, index) => `n${index}: { root: /a${index} }`).join(', ');
const manyNames = Array.from({ length: 501 }, (_, index) => `n${index}: {}`).join(', ');

/** [what, text, problems] */
const bad: readonly (readonly [string, string, readonly string[]])[] = [
  ['an unknown key', 'chanels: {}', ['1:1: unknown key "chanels"; did you mean "channels"?']],
  [
    'an unknown key of a project',
    'projects:\n  shop:\n    root: /a\n    aliass: [A]\n    zzz: 1',
    ['4:5: unknown key "aliass" in projects.shop; did you mean "aliases"?', '5:5: unknown key "zzz" in projects.shop'],
  ],
  [
    'a key of another kind of executor',
    'executors:\n  a: { kind: script, file: x, run: [b] }',
    ['2:31: unknown key "run" in executors.a'],
  ],
  ['a missing root', 'projects:\n  shop: { level: auto }', ['2:3: projects.shop.root is missing']],
  [
    'a missing kind',
    'executors:\n  a: { run: [x] }',
    ['2:3: executors.a.kind must be command, script, claude, codex, opencode or acp'],
  ],
  [
    'an unknown kind',
    'executors:\n  a: { kind: comand, run: [x] }',
    ['2:14: executors.a.kind must be command, script, claude, codex, opencode or acp; did you mean "command"?'],
  ],
  [
    'an agent over ACP without a program, or with two',
    'executors:\n  a: { kind: acp, run: [""] }\n  b: { kind: acp, run: [x], program: y, permission: strict }',
    [
      '2:24: executors.a.run must name a program',
      '3:38: executors.b.program must be left out: run names the program',
      '3:53: executors.b.permission must be ask, deny or bypass',
    ],
  ],
  [
    'a command without a program',
    'executors: { a: { kind: command, run: [] } }',
    ['1:39: executors.a.run must name a program'],
  ],
  [
    'a command that is a shell string',
    'executors: { a: { kind: command, run: ./x.sh } }',
    ['1:39: executors.a.run must be a list of arguments, such as ["./agent.sh"]'],
  ],
  [
    'a name that cannot be one',
    'projects:\n  Shop: { root: /a }',
    ['2:3: projects: a name must be a lowercase letter, then up to 40 lowercase letters, digits, - or _'],
  ],
  [
    'a project named as a command',
    'projects:\n  status: { root: /a }',
    ['2:3: "status" is a chat command and cannot name a project'],
  ],
  [
    'an alias that is a command',
    'projects: { a: { root: /a, aliases: [x, All] } }',
    ['1:41: "All" is a chat command and cannot name a project'],
  ],
  [
    'an alias of two projects',
    'projects:\n  p: { root: /a, aliases: [X] }\n  q: { root: /b, aliases: [x] }',
    ['3:28: "x" is already a name of project p'],
  ],
  [
    'an alias that is another’s name',
    'projects:\n  p: { root: /a, aliases: [Q] }\n  q: { root: /b }',
    ['2:28: "Q" is already a name of project q'],
  ],
  [
    'an executor that is not there',
    'executors: { claude: { kind: claude } }\nprojects:\n  p: { root: /a, executor: claud }',
    ['3:28: executor "claud" does not exist; did you mean "claude"?'],
  ],
  [
    'a fallback that is not there',
    'executors: { claude: { kind: claude } }\nprojects:\n  p: { root: /a, executor: [claude, codx] }',
    ['3:28: executor "codx" does not exist'],
  ],
  [
    'an executor that is listed twice',
    'executors: { claude: { kind: claude } }\nprojects:\n  p: { root: /a, executor: [claude, claude] }',
    ['3:28: executor "claude" is listed twice'],
  ],
  [
    'an empty list of executors',
    'executors: { claude: { kind: claude } }\nprojects:\n  p: { root: /a, executor: [] }',
    ['3:28: projects.p.executor must name an executor'],
  ],
  [
    'an executor that is no name',
    'executors: { claude: { kind: claude } }\nprojects:\n  p: { root: /a, executor: 5 }',
    ['3:28: projects.p.executor must be a name of executors, or a list of them'],
  ],
  [
    'a wait of no time',
    'executors: { claude: { kind: claude } }\nprojects:\n  p: { root: /a, fallback_after_s: 0 }',
    ['3:36: projects.p.fallback_after_s must be a number of seconds, from 1 to 21600'],
  ],
  [
    'a project that leaves several executors',
    'executors: { a: { kind: command, run: [a] }, b: { kind: command, run: [b] } }\nprojects:\n  p: { root: /a }',
    ['3:3: projects.p must set "executor": a or b'],
  ],
  [
    'one root twice',
    'projects:\n  p: { root: /a }\n  q: { root: /x/../a/ }',
    ['3:14: the folder already belongs to project p'],
  ],
  [
    'a role that is none',
    'projects: { p: { root: /a, members: { bob: admin } } }',
    ['1:44: projects.p.members.bob must be owner, operator, reviewer or viewer'],
  ],
  [
    'a level that is none',
    one(', level: atuo'),
    ['2:45: projects.shop.level must be manual, semi or auto; did you mean "auto"?'],
  ],
  [
    'a delivery that is none',
    one(', deliver: comit'),
    ['2:47: projects.shop.deliver must be commit, branch, push or pr; did you mean "commit"?'],
  ],
  [
    'a webhook without an address',
    one(', webhooks: [{ url: example.org }]'),
    ['2:56: projects.shop.webhooks[0].url must be an address that begins with http:// or https://'],
  ],
  [
    'a permission that is none',
    'executors: { c: { kind: claude, permission: always } }',
    ['1:45: executors.c.permission must be ask, deny or bypass'],
  ],
  [
    'a budget that is none',
    one(', budget: { run_usd: free }'),
    ['2:57: projects.shop.budget.run_usd must be an amount in dollars, above 0'],
  ],
  [
    'a chat that is two',
    one(', chats: [ { telegram: 1, slack: C01 } ]'),
    ['2:47: projects.shop.chats[0] must have either telegram or slack'],
  ],
  [
    'a topic of Slack',
    one(', chats: [ { topic: 1, slack: C01 } ]'),
    ['2:47: projects.shop.chats[0] topic only works with telegram'],
  ],
  [
    'an unknown format of tests',
    one(', tests: { run: x, format: jset }'),
    [
      '2:63: projects.shop.tests.format must be auto, vitest, jest, tap, node, go, junit, pytest or exit; did you mean "jest"?',
    ],
  ],
  [
    'two people with one id',
    'people:\n  ada: { telegram: 1 }\n  bob: { telegram: 1 }',
    ['3:20: this telegram id already belongs to ada'],
  ],
  [
    'a person who prefers a channel without an account on it',
    'people:\n  ada: { telegram: 1, prefers: slack }\n  bob: { telegram: 2, prefers: telegram }',
    ['2:32: ada has no slack id: add it as "slack", or leave "prefers" out'],
  ],
  [
    'a preferred channel that there is not',
    'people:\n  ada: { telegram: 1, prefers: slak }',
    ['2:32: people.ada.prefers must be telegram or slack; did you mean "slack"?'],
  ],
  ['a port that is none', 'web: { port: 70000 }', ['1:14: web.port must be a port from 0 to 65535']],
  [
    'a limit of the queue that is none, or for a kind that there is not',
    'queue: { per_project: 0, per_kind: { comand: 2 } }',
    [
      '1:23: queue.per_project must be a whole number from 1 to 10000',
      '1:38: unknown key "comand" in queue.per_kind; did you mean "command"?',
    ],
  ],
  [
    'an age of the archive that is none',
    'archive: { after_days: soon }',
    ['1:24: archive.after_days must be a number of days, from 1 to 36500, or 0'],
  ],
  [
    'a queue that is not Redis',
    'queue: { redis: localhost }',
    ['1:17: queue.redis must be an address that begins with redis:// or rediss://'],
  ],
  [
    'an API root that is no address',
    'channels: { telegram: { token: a, api_root: x } }',
    ['1:45: channels.telegram.api_root must be an address that begins with http:// or https://'],
  ],
  ...[
    'http://bosun.example.org',
    'http://127.0.0.1.example.org/',
    'https://u:p@x.org',
    'https://x.org/?a',
    'ftp://x.org',
  ].map((url): readonly [string, string, readonly string[]] => [
    `a webhook at ${url}`,
    `channels: { telegram: { webhook: { url: "${url}" } } }`,
    [
      '1:41: channels.telegram.webhook.url must be an address that begins with https:// (http:// only for this machine), without ? and #',
    ],
  ]),
  [
    'a webhook with a secret that is soon guessed',
    'channels: { telegram: { webhook: { url: "https://x.org", secret: short } } }',
    ['1:66: channels.telegram.webhook.secret must be 16 to 256 letters, digits, - and _'],
  ],
  ['a list in place of a map', 'projects: [a]', ['1:11: projects must be a map']],
  ['a text in place of everything', 'hello', ['1:1: the file must be a map of keys']],
  ['a text in place of a project', 'projects: { p: /a }', ['1:16: projects.p must be a map of keys']],
  ['a key given twice', 'web: {}\nweb: {}', ['2:1: map keys must be unique']],
  ['a tab', 'web:\n\tport: 1', ['2:1: tabs are not allowed as indentation']],
  ['an unknown tag', 'web: !port 1', ['1:6: unresolved tag']],
  [
    'a flood of aliases',
    `a: &a [${'x,'.repeat(99)}x]\nb: &b [${'*a,'.repeat(99)}*a]\nc: [${'*b,'.repeat(99)}*b]`,
    ["1:1: the file's aliases (*) expand to too much text"],
  ],
  ['too many names', `people: { ${manyNames} }`, ['1:1: people has more than 500 entries']],
  ['too many projects', `projects: { ${manyProjects(2_001)} }`, ['1:1: projects has more than 2000 entries']],
  ['too much text', `# ${'x'.repeat(256 * 1024)}`, ['1:1: the file is larger than 256 KB']],
  ['a pit of brackets', `web: ${'['.repeat(5000)}${']'.repeat(5000)}`, ['1:1: nested more than 32 levels deep']],
  ['a pit of dashes', '- '.repeat(5000), ['1:1: nested more than 32 levels deep']],
];

describe('an invalid config.yaml', () => {
  it.each(bad)('is refused with its place and the nearest known word: %s', (_, text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  it('fails to load with its first problem and the number of others', () => {
    const home = newHome('webb: 1\nque: 1\n');
    expect(failureOf(() => loadConfig(home, {}))).toMatchObject({
      code: 'bad_config',
      message: `${home.configPath}:1:1: unknown key "webb"; did you mean "web"? (and 1 more)`,
      hint: expect.stringContaining('docs/configuration.md'),
    });
  });

  it('fails to load when it is a folder', () => {
    const home = newHome();
    mkdirSync(home.configPath);
    expect(failureOf(() => loadConfig(home, {})).code).toBe('disk');
  });

  it('counts a symlink and its target as one project folder', () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'real'));
    symlinkSync(join(folder, 'real'), join(folder, 'link'));
    const text = `projects:\n  p: { root: ${folder}/link }\n  q: { root: ${folder}/real }`;
    expect(problemsOf(text)).toEqual(['3:14: the folder already belongs to project p']);
    expect(good(`projects: { p: { root: ${folder}/link } }`).projects[0]?.root).toBe(
      realpathSync(join(folder, 'real')),
    );
  });

  it.each([
    ['an address', 'queue: { redis: "hunter2secret" }'],
    ['a variable', `queue: { redis: "\${S}" }`],
    ['an executor', one(`, executor: "\${S}:x"`)],
    ['a level', one(', level: "1:hunter2secret"')],
    ['an id', one(', chats: [ { telegram: hunter2secret } ]')],
    ['a key', 'channels: { telegram: { "1:hunter2secret": x } }'],
    ['a map', 'channels: { telegram: hunter2secret }'],
    ['an alias of YAML', 'channels: { telegram: { token: *hunter2secret } }'],
    ['a tag of YAML', 'channels: { telegram: { token: !hunter2secret x } }'],
    ['a broken line', 'channels: { telegram: { token: "x" } } hunter2secret'],
    ['a broken quote', 'channels: { telegram: { token: "hunter2secret } }'],
    ['a name', 'people: { "1:hunter2secret": {} }'],
  ])('never shows a secret in its error message: %s', (_, text) => {
    const home = newHome(text);
    const read = checkConfig(home, { S: 'hunter2secret' });
    expect(read.kind).toBe('bad');
    expect(JSON.stringify(read)).not.toContain('hunter2secret');
  });

  it('cannot use a word of the grammar as a project name', () => {
    const words = verbRows.flatMap(({ verb, synonyms }) => [verb, ...synonyms]).filter((said) => !said.includes(' '));
    const taken = words.filter((word) => problemsOf(`projects: { ${word}: { root: /a } }`).length === 0);
    expect(taken).toEqual([]);
  });
});
