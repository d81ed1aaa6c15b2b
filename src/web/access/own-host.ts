// Security: checks Host and Origin against cross-origin posts and DNS rebinding. A foreign page still sends its own
// name.

export interface OwnAddress {
  readonly port: number;
  readonly host: string;
  /** The name under .localhost. */
  readonly ownName: string;
  /** This connection's local address, which DNS cannot forge. */
  readonly localAddress: string;
}

export function isOwnHost(host: string | undefined, here: OwnAddress): boolean {
  return host !== undefined && ownHosts(here).has(host.toLowerCase());
}

/** Others reach Bosun under the public address. */
export function isHostOf(host: string | undefined, address: string): boolean {
  const { host: named, hostname, port, protocol } = new URL(address);
  const names = port === '' ? [hostname, `${hostname}:${protocol === 'https:' ? 443 : 80}`] : [named];
  return host !== undefined && names.includes(host.toLowerCase());
}

/** Only browsers send an Origin. */
export function isOwnOrigin(origin: string | undefined, here: OwnAddress): boolean {
  if (origin === undefined) return true;
  return [...ownHosts(here)].some((own) => origin.toLowerCase() === `http://${own}`);
}

/** Browsers resolve it to the loopback as a site of its own, so its cookies go to no other port. */
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
