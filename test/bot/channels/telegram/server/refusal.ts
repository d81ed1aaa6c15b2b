/** A call that the platform refuses, in its own words. */
export class Refusal extends Error {
  readonly code: number;
  readonly parameters: Readonly<Record<string, number>>;

  constructor(code: number, description: string, parameters: Readonly<Record<string, number>> = {}) {
    super(description);
    this.code = code;
    this.parameters = parameters;
  }
}

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  429: 'Too Many Requests',
};

export function refuse(code: number, what: string, parameters?: Readonly<Record<string, number>>): Refusal {
  const title = titles[code];
  return new Refusal(code, title === undefined ? what : `${title}: ${what}`, parameters);
}

export function badRequest(what: string): Refusal {
  return refuse(400, what);
}

export function tooMany(retryAfterS: number): Refusal {
  return refuse(429, `retry after ${retryAfterS}`, { retry_after: retryAfterS });
}
