// Security: git and its children (hooks, filters, ssh, credential helpers) never get Bosun's secrets.
import { type Environment, pick, plainEnvironment } from '../../base/index.js';

/** Excludes GIT_DIR and such, set if a hook started Bosun. */
const ofGit =
  /^GIT_(SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|PROXY_COMMAND|CONFIG_\w+|AUTHOR_\w+|COMMITTER_\w+|SSL_\w+|HTTP_\w+|EXEC_PATH|TEMPLATE_DIR|ALLOW_PROTOCOL|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|LFS_\w+)$/;

const besides = [
  ...['LOGNAME', 'SSH_AGENT_PID', 'GNUPGHOME', 'GPG_TTY', 'KRB5CCNAME'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'CURL_CA_BUNDLE'],
];

const tokens = [
  ...['GH_TOKEN', 'GITHUB_TOKEN', 'GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN', 'GH_HOST', 'GH_CONFIG_DIR'],
  ...['GITLAB_TOKEN', 'GITLAB_HOST', 'GLAB_CONFIG_DIR'],
];

export function gitEnvironment(parent: Environment = process.env): Record<string, string> {
  const own = Object.keys(parent).filter((name) => ofGit.test(name));
  return { ...plainEnvironment(parent), ...picked(parent, [...own, ...besides]) };
}

export function remoteEnvironment(helpers: string, parent: Environment = process.env): Record<string, string> {
  const named = [...helpers.matchAll(/\$\{?([A-Za-z_]\w*)/g)].flatMap(([, name]) => name ?? []);
  return picked(parent, [...tokens, ...named]);
}

function picked(parent: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => pick(parent, name)));
}

/** Security: no repository setting can start a program. */
export const startsNothing: readonly string[] = [
  'core.fsmonitor=false',
  'core.pager=cat',
  'core.editor=:',
  'sequence.editor=:',
  'log.showSignature=false',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'push.recurseSubmodules=no',
  'status.submoduleSummary=false',
];

/** Hooks run only at commits and pushes, where the owner wants them. */
export const noHooks = 'core.hooksPath=/dev/null';
