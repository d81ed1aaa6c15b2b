import { findCheckout } from '../git/checkout.js';
import { git, toText } from '../git/git.js';

const maxBytes = 256 * 1024;

/** Null: no such file. Leaves out large ones. */
export async function textsIn(
  folder: string,
  tree: string,
  paths: readonly string[],
): Promise<Readonly<Record<string, string | null>>> {
  const plain = paths.filter((path) => !path.includes('\n'));
  if (plain.length === 0) return {};
  const { top, prefix } = await findCheckout(folder);
  const input = Buffer.from(plain.map((path) => `${tree}:${prefix}${path}\n`).join(''));
  const out = await git(top, ['cat-file', '--batch'], { input });
  const found: Record<string, string | null> = {};
  let at = 0;
  for (const path of plain) {
    const end = out.indexOf('\n', at);
    const head = out.slice(at, end < 0 ? undefined : end);
    const size = Number(/ (?:blob|tree|commit|tag) (\d+)$/.exec(head)?.[1] ?? Number.NaN);
    at = Number.isNaN(size) ? end + 1 : end + 1 + size + 1;
    if (Number.isNaN(size)) found[path] = null;
    else if (/ blob \d+$/.test(head) && size <= maxBytes) found[path] = toText(out.slice(end + 1, end + 1 + size));
    if (end < 0) break;
  }
  return found;
}
