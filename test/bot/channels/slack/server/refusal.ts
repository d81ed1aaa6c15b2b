/** A call that Slack refuses, by its word for it. */
export class Refusal extends Error {
  readonly more: Readonly<Record<string, unknown>>;
  /** Of a 429; null: refused with 200, as all else is. */
  readonly retryAfterS: number | null;

  constructor(error: string, more: Readonly<Record<string, unknown>> = {}, retryAfterS: number | null = null) {
    super(error);
    this.more = more;
    this.retryAfterS = retryAfterS;
  }
}

export function refuse(error: string, more?: Readonly<Record<string, unknown>>): Refusal {
  return new Refusal(error, more);
}

/** What is wrong with an argument is told as Slack's checks tell it. */
export function wrong(error: string, problems: readonly string[]): Refusal {
  const messages = problems.map((one) => `[ERROR] ${one}`);
  return new Refusal(error, { errors: [...problems], response_metadata: { messages } });
}

export function tooFast(retryAfterS: number): Refusal {
  return new Refusal('ratelimited', {}, retryAfterS);
}
