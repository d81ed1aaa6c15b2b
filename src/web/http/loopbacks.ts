// Security: browsers resolve .localhost to ::1 first, so Bosun takes that port too. Another program there would receive
// its login links.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '../../base/index.js';

const ipv4: ReadonlySet<string> = new Set(['127.0.0.1', '0.0.0.0']);
const ipv6: ReadonlySet<string> = new Set(['::1', '::']);

/** True: the name reaches only this Bosun. */
export async function takeOtherLoopback(
  address: AddressInfo | string | null,
  other: Server,
  log: Log,
): Promise<boolean> {
  if (address === null || typeof address === 'string') return false;
  if (ipv6.has(address.address)) return true;
  if (!ipv4.has(address.address)) return false;
  const { port } = address;
  const code = await new Promise<string | null>((resolve) => {
    other.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
    other.listen({ port, host: '::1' }, () => resolve(null));
  });
  // Without IPv6 browsers cannot use it either.
  if (code === null || code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT') return true;
  const what = code === 'EADDRINUSE' ? 'another program uses it' : `Bosun cannot listen on it (${code})`;
  log(`web: login links use the address instead of the home's name: browsers try [::1]:${port} first, and ${what}`, {
    level: 'warn',
  });
  return false;
}
