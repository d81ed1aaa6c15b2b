export interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'bad';
  readonly text: string;
  readonly mend: string | null;
}

export function fine(name: string, text: string): Finding {
  return { name, state: 'ok', text, mend: null };
}

export function doubtful(name: string, text: string, mend: string): Finding {
  return { name, state: 'warn', text, mend };
}

export function broken(name: string, text: string, mend: string): Finding {
  return { name, state: 'bad', text, mend };
}

export function unreachable(name: string, platform: string, why: string): Finding {
  const mend = `Check that this machine can reach ${platform}. Bosun retries automatically.`;
  return doubtful(name, `cannot reach ${platform}: ${why}`, mend);
}
