// Who may do what, by the door they come in. The one expectation that the test walks and docs/access.md is made from.

export const verbs = [
  'workflow by path',
  'workflow by name',
  'skip',
  'skip a review',
  'skip a quorum',
  'budget',
  'permission grant',
  'log and diff',
  'words to an agent',
  'queue',
  'hook report',
  'upload',
] as const;
export type Verb = (typeof verbs)[number];

export const roles = ['stranger', 'viewer', 'reviewer', 'operator', 'owner'] as const;
export type Role = (typeof roles)[number];

export interface Row {
  readonly entrance: string;
  /** `home owner`: the person who owns BOSUN_HOME, who has no name in config.yaml. */
  readonly who: Role | 'home owner' | 'CI' | 'agent at work';
  /** null: this entrance has no such thing. */
  readonly may: Readonly<Record<Verb, boolean | null>>;
}

/** One letter for each verb, in their order: y, n, or - where the entrance has no such thing. */
const byRole: Readonly<Record<Role, string>> = {
  stranger: 'nnnnnnnnnn',
  viewer: 'nnnnnnnynn',
  reviewer: 'nnnnnnnynn',
  operator: 'nyyynnyyyy',
  owner: 'nyyyyyyyyy',
};

/** How a person with this role brings a report, and a file. */
const mayBring: Readonly<Record<Role, string>> = {
  stranger: 'n',
  viewer: 'n',
  reviewer: 'n',
  operator: 'y',
  owner: 'y',
};

export const table: readonly Row[] = [
  row('terminal', 'home owner', 'yyyyyyyyyyy-'),
  ...roles.map((who) => row('terminal, --as', who, `${byRole[who]}${mayBring[who]}-`)),
  ...roles.map((who) => row('Telegram', who, `${byRole[who]}-${mayBring[who]}`)),
  ...roles.map((who) => row('Slack', who, `${byRole[who]}-${mayBring[who]}`)),
  row('page, the owner’s session', 'home owner', 'nyyyyyyyyyn-'),
  ...roles.map((who) => row('page, a person’s session', who, `${byRole[who]}n-`)),
  row('HTTP, bearer token', 'home owner', 'yyyyyyyyyyy-'),
  row('HTTP, a wrong token', 'stranger', 'nnnnnnnnnnn-'),
  row('hook, the project’s secret', 'CI', '----------y-'),
  row('hook, an attempt’s token', 'agent at work', 'nnnnnnnnnny-'),
];

function row(entrance: string, who: Row['who'], letters: string): Row {
  const said = verbs.map((verb, at) => [verb, { y: true, n: false, '-': null }[letters[at] ?? '-'] ?? null] as const);
  return { entrance, who, may: Object.fromEntries(said) as Row['may'] };
}

export function accessPage(): string {
  const cell = (may: boolean | null) => (may === null ? '' : may ? 'yes' : 'no');
  const lines = table.map(({ entrance, who, may }) => [entrance, who, ...verbs.map((verb) => cell(may[verb]))]);
  const rows = [['entrance', 'who', ...verbs], ['---', '---', ...verbs.map(() => '---')], ...lines];
  return `# Access

What each role may do with a project, by entrance. For example, an operator on Slack may skip a step and may not raise the budget. A skipped review asks for a confirmation; with a quorum only an owner may skip it. "words to an agent" are words to a running step, and "queue" is to move a waiting task to the front. An empty cell means that the entrance has no such action.

[configuration.md](configuration.md) explains the roles, and [safety.md](safety.md) why only the owner of the home may name a workflow by its path. A test walks every row through the product and writes this page (\`test/web/authority.test.ts\`).

${rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}

Bosun accepts an agent's report with its attempt's token, but the report changes nothing: only the end of the attempt counts. Bosun saves an upload in \`.ai/inbox\` of the project, for agents to read, and never runs it.
`;
}
