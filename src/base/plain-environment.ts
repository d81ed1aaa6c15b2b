// Security: the only part of Bosun's environment that child processes (agents, checks, git) get.
const allowedNames: readonly string[] = ['PATH', 'HOME', 'USER', 'SHELL', 'LANG', 'TZ', 'TMPDIR', 'SSH_AUTH_SOCK'];
const allowedPrefixes: readonly string[] = ['LC_', 'XDG_'];
const proxyNames: readonly string[] = ['http_proxy', 'https_proxy', 'ftp_proxy', 'all_proxy', 'no_proxy'];

export type Environment = Readonly<Record<string, string | undefined>>;

export function plainEnvironment(parent: Environment): Record<string, string> {
  const allowed = Object.keys(parent).filter(isAllowed);
  return Object.fromEntries(allowed.flatMap((name) => pick(parent, name)));
}

export function pick(parent: Environment, name: string): readonly (readonly [string, string])[] {
  const value = parent[name];
  return value === undefined ? [] : [[name, value]];
}

function isAllowed(name: string): boolean {
  return (
    allowedNames.includes(name) ||
    allowedPrefixes.some((prefix) => name.startsWith(prefix)) ||
    proxyNames.some((proxy) => name === proxy || name === proxy.toUpperCase())
  );
}
