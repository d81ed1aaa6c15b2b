// Takes a free port if another program has this one, unless the command line named it.
import { BosunError, errnoOf } from '../../base/index.js';
import type { Web } from '../command-context.js';

export interface WantedPort {
  readonly port: number;
  /** Named with --port, so no other will do. */
  readonly isExact: boolean;
}

export interface Served {
  readonly web: Web;
  /** A notice for the person; null: the page has its usual port. */
  readonly moved: string | null;
}

export async function serveOnFreePort(
  startWeb: (port: number) => Promise<Web>,
  { port, isExact }: WantedPort,
): Promise<Served> {
  try {
    return { web: await startWeb(port), moved: null };
  } catch (error) {
    if (isExact || !isTaken(error)) throw error;
    const web = await startWeb(0);
    return {
      web,
      moved: `Port ${port} is used by another program, so the page is on ${web.port} until the next start.`,
    };
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof BosunError && errnoOf(error.cause) === 'EADDRINUSE';
}
