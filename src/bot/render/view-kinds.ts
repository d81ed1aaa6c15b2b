// Views whose first line is a heading.

/** Those that ask a person, or what came of asking one. */
export const askingKinds: ReadonlySet<string> = new Set([
  'review',
  'question',
  'escalation',
  'confirm',
  'choice',
  'permission',
  'budget',
]);

export const headedKinds: ReadonlySet<string> = new Set([...askingKinds, 'progress', 'report']);
