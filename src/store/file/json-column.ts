export interface Body {
  readonly body: string;
}

/** Not validated: only Bosun writes this file, and the audit chain covers the history. */
export function parsed<T>(body: string): T {
  return JSON.parse(body) as T;
}

export function parsedAll<T>(rows: readonly Body[]): readonly T[] {
  return rows.map((row) => parsed<T>(row.body));
}
