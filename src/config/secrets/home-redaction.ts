import { type Redact, redactor } from '../../base/index.js';
import type { ExecutorConfig } from '../../jobs/index.js';
import type { Config } from '../config.js';
import type { Environment } from '../file/interpolate.js';
import type { Home } from '../home/home.js';
import { secretsOf, secretsOfExecutor } from './secret-values.js';

export interface Redaction {
  readonly redact: Redact;
  /** Includes the attempt's token and executor secrets, which the configuration may lack. */
  of(attempt: { readonly token: string; readonly executor?: ExecutorConfig | null }): Redact;
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
    of({ token, executor = null }) {
      const given = executor === null ? [] : secretsOfExecutor(executor, environment);
      return redactor([...new Set([...present().secrets, ...given, token])]);
    },
  };
}
