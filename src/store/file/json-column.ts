// JSON in columns of the database.

export interface Body {
  readonly body: string;
}

/** What was written by this store is what it says it is: the files are ours alone and the audit chain covers history. */
export function parsed<T>(body: string): T {
  return JSON.parse(body) as T;
}

export function parsedAll<T>(rows: readonly Body[]): readonly T[] {
  return rows.map((row) => parsed<T>(row.body));
}
