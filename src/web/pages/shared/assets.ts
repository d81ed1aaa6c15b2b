// Bosun alone serves these, under a path that changes with the content.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, sep } from 'node:path';

interface Asset {
  readonly type: string;
  readonly body: string;
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const folder = new URL('../../assets/', import.meta.url);
const parts = readdirSync(new URL('page/', folder), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.js'))
  .map((name) => `page/${name.replaceAll(sep, '/')}`);
const textOf = (name: string) => readFileSync(new URL(name, folder), 'utf8');
/** One sheet for the browser. */
const style = ['style.css', ...readdirSync(new URL('style/', folder)).map((name) => `style/${name}`)]
  .map(textOf)
  .join('\n');
const bodies: readonly (readonly [name: string, body: string])[] = [
  ['style.css', style],
  ...['icon.svg', 'icon-waiting.svg', 'page.js', 'login.js', ...parts].map((name) => [name, textOf(name)] as const),
];
/** One hash for all, because modules import each other by relative path. */
const hash = createHash('sha256').update(JSON.stringify(bodies)).digest('hex').slice(0, 16);
const pathOf = (name: string) => `/assets/${hash}/${name}`;

const served: ReadonlyMap<string, Asset> = new Map(
  bodies.map(([name, body]) => [pathOf(name), { type: types[extname(name)] ?? 'text/plain; charset=utf-8', body }]),
);

export const assets = {
  icon: pathOf('icon.svg'),
  iconWaiting: pathOf('icon-waiting.svg'),
  style: pathOf('style.css'),
  page: pathOf('page.js'),
  login: pathOf('login.js'),
  pageParts: parts.map(pathOf),
};

/** An older page's asset is gone: the page learns that and reloads. */
export function assetResponse(path: string): Response | null {
  const asset = served.get(path);
  if (asset === undefined) return null;
  const headers = { 'content-type': asset.type, 'cache-control': 'public, max-age=31536000, immutable' };
  return new Response(asset.body, { headers });
}
