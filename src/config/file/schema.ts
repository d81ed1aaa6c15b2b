// The schema of config.yaml, key by key; cross-checks.ts holds the rules between keys. Messages never quote a value,
// because any value may be a secret in the wrong place.
import { z } from 'zod';
import { didYouMean } from '../../engine/index.js';
import type { AgentKind } from '../../jobs/index.js';
import { redisAddress } from './redis-address.js';

const maxChars = 4096;
const maxNames = 500;

/** A map with exactly these keys; each unknown key gets a line that suggests the nearest known one. */
function keys<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => unknownKey(key, Object.keys(shape))).join('\n')
        : expected('a map of keys'),
  });
}

function unknownKey(key: string, known: readonly string[]): string {
  // Text that does not look like a key may be a secret that lost its key.
  if (!/^[A-Za-z_][\w-]{0,30}$/.test(key)) return 'unknown key';
  return `unknown key "${key}"${didYouMean(key, known)}`;
}

function expected(what: string): string {
  return `must be ${what}`;
}

const text = z.string(expected('text')).max(maxChars, expected(`text of at most ${maxChars} characters`));
const filled = text.min(1, expected('text that is not empty'));
/** Empty counts as absent, so that `${VAR}` without the variable turns a setting off. */
const optionalText = text.transform((said) => (said.trim() === '' ? null : said)).default(null);

function word<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.string(expected(oneOf(words))).transform((said, context): Words[number] => {
    const found = words.find((one) => one === said);
    if (found !== undefined) return found;
    const shown = /^[A-Za-z][\w-]{0,30}$/.test(said) ? didYouMean(said, words) : '';
    context.issues.push({ code: 'custom', message: `${expected(oneOf(words))}${shown}`, input: said });
    return z.NEVER;
  });
}

export function oneOf(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** Also accepts numbers as text, because variables hold text. */
function number(what: string, isFine: (value: number) => boolean) {
  return z.preprocess(
    (value) => (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value),
    z.number(expected(what)).refine(isFine, expected(what)),
  );
}

function named<Value extends z.ZodType>(name: z.ZodString, value: Value) {
  return z
    .record(name, value, expected('a map'))
    .refine((map) => Object.keys(map).length <= maxNames, `holds more than ${maxNames} names`)
    .default({});
}

const projectName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,40}$/, 'a name is a small letter, then up to 40 small letters, digits, - or _');
const anyName = z
  .string()
  .regex(/^[A-Za-z][\w.-]{0,40}$/, 'a name is a letter, then up to 40 letters, digits, . - or _');
const variable = z.string().regex(/^[A-Za-z_]\w{0,100}$/, 'the name of a variable is letters, digits and _');
const alias = z
  .string(expected('a word'))
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,40}$/, 'an alias is a letter, then up to 40 letters, digits, - or _');

export const ability = z
  .string(expected('a word'))
  .regex(/^[a-z0-9][a-z0-9._-]{0,39}$/, 'an ability is up to 40 small letters, digits, - . or _');
const environment = {
  needs: z.array(ability, expected('a list of abilities such as gpu')).max(8, 'holds more than 8').optional(),
  env: named(variable, text),
  pass_env: z.array(variable, expected('a list of names of variables')).max(100, 'holds more than 100').default([]),
};
const args = z.array(text, expected('a list of arguments')).max(200, 'holds more than 200 arguments');
const permission = word(['ask', 'deny', 'bypass']);
const tools = z.array(filled, expected('a list of tools')).max(200, 'holds more than 200 tools');
const perMillion = number('dollars for a million tokens', (value) => value >= 0 && value <= 100_000);
const largeFileMb = number(
  'a number of megabytes, from 1 to 100000',
  (value) => value >= 1 && value <= 100_000,
).default(10);
const answerWithin = number('a number of seconds, from 1 to 86400', (value) => value >= 1 && value <= 86_400);
const agent = {
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
};

const command = keys({
  kind: z.literal('command'),
  run: z
    .array(text, expected('a list of arguments, such as ["./agent.sh"]'))
    .min(1, 'must name a program')
    .max(200, 'holds more than 200 arguments')
    .refine((run) => run[0] !== '', 'must name a program'),
  wrap: args.default([]),
  answer_within_s: answerWithin.optional(),
  ...environment,
});
const script = keys({ kind: z.literal('script'), file: filled, ...environment });

function executorOf(agents: readonly AgentKind[]) {
  const kinds = ['command', 'script', ...agents.map(({ kind }) => kind)];
  const ofAgents = agents.map(({ kind, schema }) => {
    // The type leaves out the own keys: complete-config.ts picks them by their names.
    const own: object = schema;
    return keys({ kind: z.literal(kind), ...agent, ...own });
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

const telegramId = number('a whole number', Number.isSafeInteger);
const topicId = number('a whole number above 0', (value) => Number.isSafeInteger(value) && value > 0);
const slackId = z.string(expected('an id such as C01GEN')).regex(/^[A-Z0-9]{2,40}$/, expected('an id such as C01GEN'));
const usd = number('an amount in dollars, above 0', (value) => value > 0 && value <= 1_000_000);

const chat = keys({ telegram: telegramId.optional(), topic: topicId.optional(), slack: slackId.optional() })
  .refine((it) => (it.telegram === undefined) !== (it.slack === undefined), 'must have either telegram or slack')
  .refine((it) => it.topic === undefined || it.slack === undefined, 'topic goes with telegram alone');

const timeOfDay = z
  .string(expected('a time such as "22:00"'))
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, expected('a time such as "22:00"'));
const zone = optionalText.refine(
  (said) => said === null || isZone(said),
  expected('a time zone such as Europe/Berlin'),
);
const quietHours = keys({ from: timeOfDay, to: timeOfDay, zone }).nullable().default(null);

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const testFormats = ['auto', 'vitest', 'jest', 'tap', 'node', 'go', 'junit', 'pytest', 'exit'] as const;
const deliveries = ['commit', 'branch', 'push', 'pr'] as const;

const project = keys({
  root: filled,
  aliases: z.array(alias, expected('a list of words')).max(20, 'holds more than 20 aliases').default([]),
  workflow: filled.default('quick'),
  executor: filled.optional(),
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
  chats: z.array(chat, expected('a list')).max(50, 'holds more than 50 chats').default([]),
  after_story: word(['propose', 'start']).nullable().default(null),
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
    .max(20, 'holds more than 20')
    .default([]),
  worktree: keys({
    setup: optionalText,
    link: z.array(filled, expected('a list of paths')).max(50, 'holds more than 50').nullable().default(null),
  }).prefault({}),
  stall_after_s: number('a number of seconds, from 1 to 86400', (value) => value >= 1 && value <= 86_400).default(600),
  git: keys({ remote: optionalText, base: optionalText, large_file_mb: largeFileMb }).prefault({}),
  quiet_hours: quietHours,
});

const url = (pattern: RegExp, what: string) =>
  optionalText.refine((said) => said === null || pattern.test(said), expected(what));
const httpUrl = url(/^https?:\/\/[^\s/]/, 'an address that begins with http:// or https://');
/** Telegram posts only to https; a server on this machine needs none. */
const publicUrl = url(
  /^(?:https:\/\/|http:\/\/(?=(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?:[:/]|$)))[^\s/?#@]+(?:\/[^\s?#]*)?$/,
  'an address that begins with https:// (http:// on this machine alone), without ? and #',
).refine((said) => said === null || URL.canParse(said), expected('an address'));
const webhookSecret = optionalText.refine(
  (said) => said === null || /^[\w-]{16,256}$/.test(said),
  expected('16 to 256 letters, digits, - and _'),
);

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

const everyHome = {
  projects: named(projectName, project),
  people: named(
    anyName,
    keys({ telegram: telegramId.optional(), slack: slackId.optional(), slack_group: slackId.optional() }).refine(
      (it) => it.slack_group === undefined || (it.slack === undefined && it.telegram === undefined),
      'slack_group stands alone: it names many people',
    ),
  ),
  channels: keys({
    telegram: keys({
      token: optionalText,
      api_root: httpUrl,
      webhook: keys({ url: publicUrl, secret: webhookSecret }).prefault({}),
    }).prefault({}),
    slack: keys({
      bot_token: optionalText,
      app_token: optionalText,
      signing_secret: optionalText,
      api_url: httpUrl,
      mode: word(['socket', 'http']).default('socket'),
      allow_guests: z.boolean(expected('true or false')).default(false),
      allow_shared_channels: z.boolean(expected('true or false')).default(false),
    }).prefault({}),
  }).prefault({}),
  quiet_hours: quietHours,
  new_projects: newProjects.nullable().default(null),
  intent: intent.nullable().default(null),
  standby: keys({ restore: optionalText, replicate: optionalText }).nullable().default(null),
  web: keys({
    port: number('a port from 0 to 65535', (port) => Number.isInteger(port) && port >= 0 && port <= 65_535).default(
      7420,
    ),
    host: filled.default('127.0.0.1'),
  }).prefault({}),
};

const schemas = new WeakMap<readonly AgentKind[], ReturnType<typeof schemaWith>>();

/** The shape of config.yaml's YAML after variables are filled in and empty keys dropped. */
export function configSchema(agents: readonly AgentKind[]) {
  const schema = schemas.get(agents) ?? schemaWith(agents);
  schemas.set(agents, schema);
  return schema;
}

function schemaWith(agents: readonly AgentKind[]) {
  const limits = ['command', 'script', 'check', ...agents.map(({ kind }) => kind)];
  return keys({
    executors: named(anyName, executorOf(agents)),
    ...everyHome,
    queue: keys({
      redis: optionalText.pipe(redisAddress.nullable()),
      lease_s: number('a number of seconds, from 1 to 600', (value) => value >= 1 && value <= 600).default(15),
      per_project: atOnce.optional(),
      per_kind: keys(Object.fromEntries(limits.map((kind) => [kind, atOnce.optional()]))).prefault({}),
    }).prefault({}),
  });
}

export type RawConfig = z.output<ReturnType<typeof schemaWith>>;
export type RawProject = RawConfig['projects'][string];
export type RawExecutor = RawConfig['executors'][string];
