import { askRemote, findRemote, tellRemote } from './remote.js';
import type { Blocked } from './unattended.js';

export type Pushed = { readonly kind: 'pushed'; readonly remote: string; readonly url: string } | Blocked;

/** A pre-push hook may run tests. */
const pushMs = 600_000;

const hints = {
  rejected: 'Fix what it reports, then retry. Bosun never force-pushes.',
  silent: 'A pre-push hook of the repository probably refused it: fix what it reports, then retry.',
};

/** A name or address; null: origin. */
export async function pushBranch(folder: string, branch: string, remote: string | null): Promise<Pushed> {
  const found = await findRemote(folder, remote ?? 'origin');
  if (found.kind === 'blocked') return found;
  const { name, url } = found;
  const ref = `refs/heads/${branch}:refs/heads/${branch}`;
  // Security: an address may hold a password, so never store it as the upstream.
  const args = ['push', ...(name === null ? [] : ['--set-upstream']), '--', name ?? url, ref];
  const errand = { failing: `${branch} could not be pushed`, late: 'did not accept it', timeoutMs: pushMs, hints };
  const answer = await askRemote(folder, found, args, { ...errand, runsHooks: true });
  return 'kind' in answer ? answer : { kind: 'pushed', remote: tellRemote(found), url };
}
