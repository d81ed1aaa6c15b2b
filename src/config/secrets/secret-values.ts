import type { ExecutorConfig } from '../../jobs/index.js';
import type { Config } from '../config.js';
import type { Environment } from '../file/interpolate.js';
import type { Home } from '../home/home.js';

export function secretsOf(
  config: Config,
  home: Pick<Home, 'secret' | 'apiToken'>,
  environment: Environment,
): readonly string[] {
  const found = [
    home.secret,
    home.apiToken,
    ...config.channelKinds.flatMap((kind) => {
      const settings = config.channels[kind.name] ?? null;
      return settings === null ? [] : kind.secretsOf(settings);
    }),
    passwordIn(config.queue.redis),
    ...config.projects.flatMap(({ hookSecret, webhooks }) => [hookSecret, ...webhooks.map(({ secret }) => secret)]),
    ...Object.values(config.executors).flatMap((executor) => secretsOfExecutor(executor, environment)),
  ];
  return [...new Set(found.flatMap((one) => (one ? [one] : [])))];
}

export function secretsOfExecutor(executor: ExecutorConfig, environment: Environment): readonly string[] {
  const ofRoles =
    'roles' in executor ? Object.values(executor.roles).flatMap(({ env }) => Object.entries(env ?? {})) : [];
  const passed = executor.passEnv.flatMap((name) => Object.entries({ [name]: environment[name] ?? '' }));
  return [...Object.entries(executor.env), ...ofRoles, ...passed].flatMap(([name, value]) =>
    isSecret(name, value) ? [value] : [],
  );
}

/** Judges by name; paths and numbers are no secrets. */
function isSecret(name: string, value: string): boolean {
  return secretName.test(name) && !/_(?:FILE|PATH|DIR|FOLDER)$/i.test(name) && !/^\d{0,11}$/.test(value);
}

const secretName =
  /(?:KEY|TOKEN|SECRETS?|PASSWORD|PASSWD|PASSPHRASE|PASS|CREDENTIALS?|COOKIE|.[_-]PWD|(?:^|_)(?:PAT|AUTH|DSN))(?:[_\d]|$)/i;

function passwordIn(address: string | null): string | null {
  if (address === null || !URL.canParse(address)) return null;
  const { password } = new URL(address);
  try {
    return decodeURIComponent(password);
  } catch {
    // Badly encoded.
    return password;
  }
}
