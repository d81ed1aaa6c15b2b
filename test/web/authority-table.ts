// Who may do what, by the door they come in. The one expectation that the test walks and docs/access.md is made from.

export const verbs = ['workflow by path', 'workflow by name'] as const;
export type Verb = (typeof verbs)[number];

export const roles = ['stranger', 'viewer', 'reviewer', 'operator', 'owner'] as const;
export type Role = (typeof roles)[number];

export interface Row {
  readonly entrance: string;
  /** `home owner`: the person who owns BOSUN_HOME, who has no name in config.yaml. */
  readonly who: Role | 'home owner';
  /** yes, no; null: this entrance has no such thing. */
  readonly may: Readonly<Record<Verb, boolean | null>>;
}

/** One letter for each verb, in their order: y, n, or - where the entrance has no such thing. */
const byRole: Readonly<Record<Role, string>> = {
  stranger: 'nn',
  viewer: 'nn',
  reviewer: 'nn',
  operator: 'ny',
  owner: 'ny',
};

export const people = ['terminal, --as', 'Telegram', 'Slack', 'page, a person’s session'] as const;

export const table: readonly Row[] = [
  row('terminal', 'home owner', 'yy'),
  row('HTTP, bearer token', 'home owner', 'yy'),
  row('HTTP, no or a wrong token', 'stranger', 'nn'),
  row('page, the owner’s session', 'home owner', 'ny'),
  ...people.flatMap((entrance) => roles.map((who) => row(entrance, who, byRole[who]))),
];

function row(entrance: string, who: Row['who'], letters: string): Row {
  const said = verbs.map((verb, at) => [verb, { y: true, n: false, '-': null }[letters[at] ?? '-'] ?? null] as const);
  return { entrance, who, may: Object.fromEntries(said) as Row['may'] };
}
