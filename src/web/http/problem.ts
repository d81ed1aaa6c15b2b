// problem+json: the failure, its reason, the remedy. Security: never a stack or secret.
import { BosunError, type ErrorCode } from '../../base/index.js';

const titles: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Not logged in',
  403: 'Refused',
  404: 'Not found',
  405: 'Method not allowed',
  406: 'Not acceptable',
  409: 'Not now',
  413: 'Too large',
  429: 'Too many requests',
  500: 'Bosun failed',
  503: 'Not able now',
  504: 'Timed out',
};

const statuses: Readonly<Partial<Record<ErrorCode, number>>> = {
  bad_input: 400,
  bad_workflow: 400,
  usage: 400,
  not_allowed: 403,
  not_found: 404,
  busy_home: 409,
  not_now: 409,
  limit: 503,
  timeout: 504,
};

export interface ErrorJson {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
}

export function problem(status: number, code: string, detail: string, hint: string | null = null): Response {
  const title = titleOf(status);
  // Like the command line's --json.
  const body = { type: 'about:blank', title, status, detail, error: { code, message: detail, hint } };
  return new Response(`${JSON.stringify(body)}\n`, {
    status,
    headers: { 'content-type': 'application/problem+json; charset=utf-8' },
  });
}

export function titleOf(status: number): string {
  return titles[status] ?? 'Error';
}

export function problemOf(error: unknown): Response {
  const { code, message, hint } = errorJson(error);
  const status = error instanceof BosunError ? (statuses[error.code] ?? 500) : 500;
  return problem(status, code, message, hint);
}

/** Only a BosunError's message leaves; bugs go to the log. */
export function errorJson(error: unknown): ErrorJson {
  if (error instanceof BosunError) return { code: error.code, message: error.message, hint: error.hint };
  return { code: 'bug', message: 'Bosun hit an internal error', hint: "See Bosun's log for details." };
}
