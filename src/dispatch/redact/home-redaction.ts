// The secrets of this home as they are now, for all who write or tell something.
import type { Config, Environment, Home } from '../home/index.js';
import { type Redact, redactor } from './redactor.js';
import { secretsOf } from './secrets.js';

export interface Redaction {
  readonly redact: Redact;
  /** For one attempt: its own token as well. */
  of(attempt: { readonly token: string }): Redact;
}

export function homeRedaction(
  config: () => Config,
  home: Pick<Home, 'secret' | 'apiToken'>,
  environment: Environment,
): Redaction {
  let made: { readonly from: Config; readonly secrets: readonly string[]; readonly redact: Redact } | null = null;
  const present = () => {
    const from = config();
    if (made?.from === from) return made;
    const secrets = secretsOf(from, home, environment);
    made = { from, secrets, redact: redactor(secrets) };
    return made;
  };
  return {
    redact: (text) => present().redact(text),
    of: ({ token }) => redactor([...present().secrets, token]),
  };
}
