// The style sheet and the little code that a browser gets: from here alone, under a path that changes with what they say.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

interface Asset {
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

const names = {
  'style.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;
type AssetName = keyof typeof names;

export const assets: Readonly<Record<AssetName, Asset>> = {
  'style.css': read('style.css'),
  'page.js': read('page.js'),
  'icon.svg': read('icon.svg'),
};

function read(name: AssetName): Asset {
  const body = readFileSync(new URL(`../assets/${name}`, import.meta.url), 'utf8');
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 16);
  return { path: `/assets/${hash}/${name}`, type: names[name], body };
}

/** What an older page asks for is not there any more: it is told so, and loads anew. */
export function assetResponse(path: string): Response | null {
  const asset = Object.values(assets).find((one) => one.path === path);
  if (asset === undefined) return null;
  const headers = { 'content-type': asset.type, 'cache-control': 'public, max-age=31536000, immutable' };
  return new Response(asset.body, { headers });
}
