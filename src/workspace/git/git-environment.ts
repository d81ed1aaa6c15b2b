// What git, and every program that git starts (hooks, filters, ssh, credential helpers), may know of Bosun's own
// environment: the short list that any child gets, what the owner set for git, and nothing that may be a secret of Bosun's.
import { type Environment, pick, plainEnvironment } from '../../base/index.js';

/** Variables that name the repository of a parent, such as a git hook that started Bosun, are not among them. */
const ofGit =
  /^GIT_(SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|PROXY_COMMAND|CONFIG_\w+|AUTHOR_\w+|COMMITTER_\w+|SSL_\w+|HTTP_\w+|EXEC_PATH|TEMPLATE_DIR|ALLOW_PROTOCOL|CEILING_DIRECTORIES|DISCOVERY_ACROSS_FILESYSTEM|LFS_\w+)$/;

const besides = [
  ...['LOGNAME', 'SSH_AGENT_PID', 'GNUPGHOME', 'GPG_TTY', 'KRB5CCNAME'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'CURL_CA_BUNDLE'],
];

/** What the helpers of GitHub and GitLab sign in with. */
const tokens = [
  ...['GH_TOKEN', 'GITHUB_TOKEN', 'GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN', 'GH_HOST', 'GH_CONFIG_DIR'],
  ...['GITLAB_TOKEN', 'GITLAB_HOST', 'GLAB_CONFIG_DIR'],
];

export function gitEnvironment(parent: Environment = process.env): Record<string, string> {
  const own = Object.keys(parent).filter((name) => ofGit.test(name));
  return { ...plainEnvironment(parent), ...picked(parent, [...own, ...besides]) };
}

/** What is needed besides to prove oneself to a remote. `helpers`: the owner's credential helpers, as git's settings have them. */
export function remoteEnvironment(helpers: string, parent: Environment = process.env): Record<string, string> {
  const named = [...helpers.matchAll(/\$\{?([A-Za-z_]\w*)/g)].flatMap(([, name]) => name ?? []);
  return picked(parent, [...tokens, ...named]);
}

function picked(parent: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => pick(parent, name)));
}

/** Settings for `git -c` that hold for every call: none of them may start a program, whoever set it in the repository. */
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

/** Hooks run where the owner wants them: when Bosun commits and pushes. */
export const noHooks = 'core.hooksPath=/dev/null';
