// The kinds of view whose first line is a heading.

/** Views that ask a person, or show the answer. */
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
