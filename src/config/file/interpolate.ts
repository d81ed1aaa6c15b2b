// `${NAME}` stands for a variable; `$${NAME}` escapes it.

export type Environment = Readonly<Record<string, string | undefined>>;

/** Drops keys that an absent variable leaves empty. */
export function interpolate(value: unknown, env: Environment): unknown {
  if (typeof value === 'string') return fill(value, env);
  if (Array.isArray(value)) return value.map((one) => interpolate(one, env));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, one]): [string, unknown, unknown] => [
    key,
    one,
    interpolate(one, env),
  ]);
  const kept = entries.filter(([, before, after]) => after !== '' || before === '');
  return Object.fromEntries(kept.map(([key, , after]) => [key, after]));
}

function fill(text: string, env: Environment): string {
  return text.replaceAll(/(\$?)\$\{([A-Za-z_]\w*)\}/g, (whole, mark: string, name: string) =>
    mark === '' ? (env[name] ?? '') : whole.slice(1),
  );
}

export function variablesIn(text: string): readonly string[] {
  return [...text.matchAll(/(\$?)\$\{([A-Za-z_]\w*)\}/g)].flatMap(([, mark, name = '']) => (mark === '' ? [name] : []));
}

export function escaped(text: string): string {
  return text.replaceAll(/\$\{[A-Za-z_]\w*\}/g, (whole) => `$${whole}`);
}
