// Which Host and Origin are Bosun's own. A page elsewhere whose name was made to point here (DNS rebinding) still says
// its own name, and a page elsewhere that posts here says its own origin: both show here.

export interface OwnAddress {
  readonly port: number;
  /** What config.yaml or the command line says. */
  readonly host: string;
  /** The home's name below .localhost. */
  readonly ownName: string;
  /** Where this very connection came in: an address, which no name server can forge. */
  readonly localAddress: string;
}

export function isOwnHost(host: string | undefined, here: OwnAddress): boolean {
  return host !== undefined && ownHosts(here).has(host.toLowerCase());
}

/** Whether this is how others name the place behind an address. */
export function isHostOf(host: string | undefined, address: string): boolean {
  const { host: named, hostname, port, protocol } = new URL(address);
  const names = port === '' ? [hostname, `${hostname}:${protocol === 'https:' ? 443 : 80}`] : [named];
  return host !== undefined && names.includes(host.toLowerCase());
}

/** No Origin at all is what everything but a browser sends. */
export function isOwnOrigin(origin: string | undefined, here: OwnAddress): boolean {
  if (origin === undefined) return true;
  return [...ownHosts(here)].some((own) => origin.toLowerCase() === `http://${own}`);
}

/**
 * Browsers resolve it to the loopback by themselves, and treat it as a site of its own: they send its cookies to no other
 * port of 127.0.0.1 or localhost.
 */
export function ownNameOf(homeId: string): string {
  return `bosun-${homeId.slice(1, 7)}.localhost`;
}

function ownHosts({ port, host, ownName, localAddress }: OwnAddress): ReadonlySet<string> {
  const names = ['127.0.0.1', 'localhost', '[::1]', ownName, bracketed(host.toLowerCase())];
  if (isWildcard(host)) names.push(bracketed(localAddress.replace(/^::ffff:/, '').toLowerCase()));
  return new Set(names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`])));
}

export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::' || host === '[::]';
}

export function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
