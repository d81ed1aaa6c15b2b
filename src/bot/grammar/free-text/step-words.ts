export interface StepName {
  readonly id: string;
  readonly title: string;
}

/** Only in a workflow with that step. */
const usual: Readonly<Record<string, readonly string[]>> = {
  bdd: ['scenarios', 'bdd spec', 'behaviour', 'behavior'],
  'sdd-delta': ['delta', 'delta spec', 'sdd', 'design delta'],
  contract: ['contracts', 'openapi'],
  scaffold: ['scaffolding', 'test scaffold', 'test skeleton', 'test skeletons', 'skeletons', 'red tests'],
  impl: ['implementation', 'implement', 'implementing', 'code', 'coding'],
  implement: ['implementation', 'impl', 'implementing', 'code', 'coding'],
  verify: ['verification', 'verifying'],
  'update-memory': ['memory', 'project memory', 'updating memory'],
  review: ['reviewing'],
  plan: ['planning'],
  planning: ['plan'],
  test: ['tests', 'testing'],
  check: ['checks', 'checking'],
};

const maxSteps = 12;
const separator = /\s*(?:[+&,/]|->|→|\band then\b|\bthen\b|\band\b|\bplus\b)\s*/i;

export function stepNamed(said: string, steps: readonly StepName[]): string | null {
  const wanted = key(said);
  const ways: readonly ((step: StepName) => readonly string[])[] = [
    ({ id, title }) => [id, title],
    ({ id }) => usual[id] ?? [],
  ];
  for (const way of ways) {
    const found = steps.find((step) => way(step).some((known) => key(known) === wanted));
    if (found !== undefined) return found.id;
  }
  return null;
}

/** Null: one is unknown. */
export function stepsListed(said: string, steps: readonly StepName[]): readonly string[] | null {
  // "test and check" may be one title.
  const whole = stepNamed(said, steps);
  if (whole !== null) return [whole];
  const parts = said.split(separator).filter((part) => part !== '');
  if (parts.length === 0 || parts.length > maxSteps) return null;
  const named = parts.map((part) => stepNamed(part, steps));
  const known = named.filter((id) => id !== null);
  return known.length === named.length && new Set(known).size === known.length ? known : null;
}

function key(said: string): string {
  const plain = said
    .toLowerCase()
    .replaceAll(/[-_\s]+/g, ' ')
    .trim();
  return plain.replace(/^the /, '').replace(/ (?:steps?|phase)$/, '');
}
