// cross-checks.ts has the rules between keys. Security: messages never quote a value, which may be a misplaced secret.
import { z } from 'zod';
import { didYouMean, testFormats } from '../../engine/index.js';
import type { AgentKind } from '../../jobs/index.js';
import type { ChannelConfigKind, PlatformId } from '../channel-kinds.js';
import type { HomeOfConfig } from '../home/home.js';
import { redisAddress } from './redis-address.js';
import { expected, filled, keys, named, number, oneOf, optionalText, text, url, word } from './schema-parts.js';

/** Each costs a start 0.2 ms. */
const maxProjects = 2_000;
const projectName = z
  .string()
  .regex(
    /^[a-z][a-z0-9_-]{0,40}$/,
    'a name must be a lowercase letter, then up to 40 lowercase letters, digits, - or _',
  );
const anyName = z
  .string()
  .regex(/^[A-Za-z][\w.-]{0,40}$/, 'a name must be a letter, then up to 40 letters, digits, . - or _');
const variable = z.string().regex(/^[A-Za-z_]\w{0,100}$/, "a variable's name must consist of letters, digits and _");
const alias = z
  .string(expected('a word'))
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,40}$/, 'an alias must be a letter, then up to 40 letters, digits, - or _');

export const ability = z
  .string(expected('a word'))
  .regex(/^[a-z0-9][a-z0-9._-]{0,39}$/, 'an ability must be up to 40 lowercase letters, digits, - . or _');
const environment = {
  needs: z.array(ability, expected('a list of abilities such as gpu')).max(8, 'has more than 8 entries').optional(),
  env: named(variable, text),
  pass_env: z
    .array(variable, expected('a list of names of variables'))
    .max(100, 'has more than 100 entries')
    .default([]),
};
const args = z.array(text, expected('a list of arguments')).max(200, 'has more than 200 arguments');
const tools = z.array(filled, expected('a list of tools')).max(200, 'has more than 200 tools');
const perMillion = number('dollars for a million tokens', (value) => value >= 0 && value <= 100_000);
const largeFileMb = number(
  'a number of megabytes, from 1 to 100000',
  (value) => value >= 1 && value <= 100_000,
).default(10);
const answerWithin = number('a number of seconds, from 1 to 86400', (value) => value >= 1 && value <= 86_400);
const agentOf = (permission: ReturnType<typeof word<AgentKind['permissions']>>) => ({
  program: optionalText,
  model: optionalText,
  args: args.default([]),
  permission: permission.default('ask'),
  tools: tools.default([]),
  wrap: args.default([]),
  answer_within_s: answerWithin.default(600),
  prices: keys({ input: perMillion, output: perMillion, cached: perMillion.default(0) })
    .nullable()
    .default(null),
  roles: named(
    anyName,
    keys({
      model: filled.optional(),
      args: args.optional(),
      permission: permission.optional(),
      tools: tools.optional(),
      env: z.record(variable, text, expected('a map')).optional(),
    }),
  ),
  ...environment,
});

const command = keys({
  kind: z.literal('command'),
  run: z
    .array(text, expected('a list of arguments, such as ["./agent.sh"]'))
    .min(1, 'must name a program')
    .max(200, 'has more than 200 arguments')
    .refine((run) => run[0] !== '', 'must name a program'),
  wrap: args.default([]),
  answer_within_s: answerWithin.optional(),
  ...environment,
});
const script = keys({ kind: z.literal('script'), file: filled, ...environment });

function executorOf(agents: readonly AgentKind[]) {
  const kinds = ['command', 'script', ...agents.map(({ kind }) => kind)];
  const ofAgents = agents.map(({ kind, schema, permissions }) => {
    // The type omits own keys; complete-config.ts picks them by name.
    const own: object = schema;
    return keys({ kind: z.literal(kind), ...agentOf(word(permissions)), ...own });
  });
  return z.discriminatedUnion('kind', [command, script, ...ofAgents], {
    error: (issue) => (issue.code === 'invalid_union' ? kindMessage(kinds, issue.input) : expected('a map of keys')),
  });
}

function kindMessage(kinds: readonly string[], input: unknown): string {
  const kind = typeof input === 'object' && input !== null && 'kind' in input ? input.kind : undefined;
  const near = typeof kind === 'string' && /^[\w-]{1,30}$/.test(kind) ? didYouMean(kind, kinds) : '';
  return `${expected(oneOf(kinds))}${near}`;
}

const topicId = number('a whole number above 0', (value) => Number.isSafeInteger(value) && value > 0);
const usd = number('an amount in dollars, above 0', (value) => value > 0 && value <= 1_000_000);

type IdShape = Record<string, z.ZodType<PlatformId | undefined>>;

/** Exactly one channel's key, with a topic if the channel has topics. */
function chatOf(kinds: readonly ChannelConfigKind[]) {
  const topical = kinds.filter(({ topics }) => topics !== null).map(({ name }) => name);
  const namedIn = (it: Readonly<Record<string, unknown>>) => kinds.filter(({ name }) => it[name] !== undefined);
  const shape: IdShape = { ...byName(kinds, ({ chatId }) => chatId.optional()), topic: topicId.optional() };
  return keys(shape)
    .refine((it) => namedIn(it).length === 1, `must have either ${oneOf(kinds.map(({ name }) => name))}`)
    .refine(
      (it) => it['topic'] === undefined || namedIn(it).every(({ topics }) => topics !== null),
      `topic only works with ${topical.join(' or ')}`,
    );
}

function personOf(kinds: readonly ChannelConfigKind[]) {
  const groups = kinds.filter(({ hasGroups }) => hasGroups).map((kind) => [groupKey(kind), kind.accountId.optional()]);
  const prefers = word(kinds.map(({ name }) => name)).optional();
  const ids = { ...byName(kinds, ({ accountId }) => accountId.optional()), ...Object.fromEntries(groups) };
  const shape: IdShape = { ...ids, prefers };
  return kinds.reduce(
    (schema, kind) =>
      schema.refine(
        (it) => it[groupKey(kind)] === undefined || Object.values(it).filter((id) => id !== undefined).length === 1,
        `${groupKey(kind)} stands alone: it names many people`,
      ),
    keys(shape),
  );
}

export function groupKey({ name }: Pick<ChannelConfigKind, 'name'>): string {
  return `${name}_group`;
}

function byName<T>(kinds: readonly ChannelConfigKind[], of: (kind: ChannelConfigKind) => T): Record<string, T> {
  return Object.fromEntries(kinds.map((kind) => [kind.name, of(kind)]));
}

const timeOfDay = z
  .string(expected('a time such as "22:00"'))
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, expected('a time such as "22:00"'));
const zone = optionalText.refine(
  (said) => said === null || isZone(said),
  expected('a time zone such as Europe/Berlin'),
);
const quietHours = keys({
  from: timeOfDay,
  to: timeOfDay,
  zone,
  questions: z.enum(['ring', 'silent'], expected('ring or silent')).default('silent'),
})
  .nullable()
  .default(null);

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const deliveries = ['commit', 'branch', 'push', 'pr'] as const;

/** One name, or several in order. */
const executorList = z.preprocess(
  (said) => (typeof said === 'string' ? [said] : said),
  z
    .array(filled, expected('a name of executors, or a list of them'))
    .min(1, 'must name an executor')
    .max(8, 'has more than 8 executors'),
);

const projectOf = (chat: ReturnType<typeof chatOf>) =>
  keys({
    root: filled,
    aliases: z.array(alias, expected('a list of words')).max(20, 'has more than 20 aliases').default([]),
    workflow: filled.default('quick'),
    executor: executorList.optional(),
    fallback_after_s: number('a number of seconds, from 1 to 21600', (value) => value >= 1 && value <= 21_600).default(
      300,
    ),
    level: word(['manual', 'semi', 'auto']).default('auto'),
    deliver: word(deliveries).default('commit'),
    lint: optionalText,
    check: optionalText,
    tests: keys({
      run: optionalText,
      format: word(testFormats).default('auto'),
      allow_none: z.boolean(expected('true or false')).default(false),
    }).optional(),
    members: named(anyName, word(['owner', 'operator', 'reviewer', 'viewer'])),
    budget: keys({ run_usd: usd.optional(), day_usd: usd.optional(), project_usd: usd.optional(), zone }).prefault({}),
    chats: z.array(chat, expected('a list')).max(50, 'has more than 50 chats').default([]),
    after_story: word(['propose', 'start']).nullable().default(null),
    after_run: word(['start', 'propose']).default('start'),
    words: word(['ask', 'now', 'next']).default('ask'),
    hook_secret: optionalText,
    webhooks: z
      .array(
        keys({
          url: filled.regex(/^https?:\/\/[^\s/]/, expected('an address that begins with http:// or https://')),
          secret: optionalText,
          events: z.array(word(['run', 'interaction']), expected('a list')).default(['run', 'interaction']),
        }),
        expected('a list'),
      )
      .max(20, 'has more than 20 entries')
      .default([]),
    worktree: keys({
      setup: optionalText,
      link: z.array(filled, expected('a list of paths')).max(50, 'has more than 50 entries').nullable().default(null),
    }).prefault({}),
    stall_after_s: number('a number of seconds, from 1 to 86400', (value) => value >= 1 && value <= 86_400).default(
      600,
    ),
    git: keys({
      remote: optionalText,
      base: optionalText,
      large_file_mb: largeFileMb,
      co_author: z.boolean(expected('true or false')).default(true),
    }).prefault({}),
    ask_privately: z.boolean(expected('true or false')).default(true),
    quiet_hours: quietHours,
  });

const atOnce = number(
  'a whole number from 1 to 10000',
  (value) => Number.isInteger(value) && value >= 1 && value <= 10_000,
);

const newProjects = keys({ root: filled, executor: filled.optional(), workflow: filled.default('micro-waterfall') });

const intent = keys({
  run: args.min(1, 'must name a program').refine((run) => run[0] !== '', 'must name a program'),
  timeout_s: number('a number of seconds, from 1 to 30', (value) => value >= 1 && value <= 30).default(5),
  env: environment.env,
  pass_env: environment.pass_env,
});

/** People see it: no credentials, nothing after the path. */
const publicUrl = url(
  /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/,
  'an address that begins with http:// or https://, without a name, ? and #',
).refine((said) => said === null || URL.canParse(said), expected('an address'));

const everyHome = {
  quiet_hours: quietHours,
  new_projects: newProjects.nullable().default(null),
  intent: intent.nullable().default(null),
  archive: keys({
    after_days: number(
      'a number of days, from 1 to 36500, or 0',
      (value) => value === 0 || (value >= 1 && value <= 36_500),
    ),
  })
    .partial()
    .prefault({}),
  standby: keys({ restore: optionalText, replicate: optionalText }).nullable().default(null),
  web: keys({
    port: number('a port from 0 to 65535', (port) => Number.isInteger(port) && port >= 0 && port <= 65_535).default(
      7420,
    ),
    host: filled.default('127.0.0.1'),
    public_url: publicUrl,
  }).prefault({}),
};

type Kinds = Pick<HomeOfConfig, 'agents' | 'channels'>;
type Schema = ReturnType<typeof schemaWith>;

const schemas = new WeakMap<Kinds['agents'], WeakMap<Kinds['channels'], Schema>>();

/** After variables are filled in and empty keys dropped. */
export function configSchema(kinds: Kinds): Schema {
  const { agents, channels } = kinds;
  const known = schemas.get(agents) ?? new WeakMap<Kinds['channels'], Schema>();
  const schema = known.get(channels) ?? schemaWith(kinds);
  schemas.set(agents, known.set(channels, schema));
  return schema;
}

function schemaWith({ agents, channels }: Kinds) {
  const limits = ['command', 'script', 'check', ...agents.map(({ kind }) => kind)];
  return keys({
    executors: named(anyName, executorOf(agents)),
    projects: named(projectName, projectOf(chatOf(channels)), maxProjects),
    people: named(anyName, personOf(channels)),
    channels: keys(byName(channels, ({ settings }) => settings)).prefault({}),
    ...everyHome,
    queue: keys({
      redis: optionalText.pipe(redisAddress.nullable()),
      lease_s: number('a number of seconds, from 1 to 600', (value) => value >= 1 && value <= 600).default(15),
      per_project: atOnce.optional(),
      per_kind: keys(Object.fromEntries(limits.map((kind) => [kind, atOnce.optional()]))).prefault({}),
    }).prefault({}),
  });
}

export type RawConfig = z.output<Schema>;
export type RawProject = RawConfig['projects'][string];
export type RawExecutor = RawConfig['executors'][string];
