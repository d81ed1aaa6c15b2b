import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

it('every picture of docs/images is shown or linked by a page, and every picture that a page names is there', () => {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  const texts = ['README.md', ...pages.map((name) => join('docs', name))].map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  const named = texts.flatMap((text) => [...text.matchAll(/images\/([\w-]+\.(?:png|svg))/g)].map(([, name]) => name));
  expect([...new Set(named)].sort()).toEqual(readdirSync(join(root, 'docs/images')).sort());
});
