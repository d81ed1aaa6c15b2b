// The pictures of a review are served to those who may see its run, and nothing else of the home is.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { given } from './given.js';

it('serves a copy under its hash, and no other file of the home', async () => {
  const { get, post, home } = await given();
  await post('/api/say', { text: 'A: draw the cart' });
  const name = `${'a'.repeat(64)}.png`;
  mkdirSync(join(home.dir, 'pictures/r1'), { recursive: true });
  writeFileSync(join(home.dir, 'pictures/r1', name), 'a picture');
  writeFileSync(join(home.dir, 'pictures/r1/secret.png'), 'a secret');
  const shown = await get(`/runs/r1/pictures/${name}`);
  expect([shown.status, shown.text, shown.headers['content-type']]).toEqual([200, 'a picture', 'image/png']);
  expect(shown.headers['x-content-type-options']).toBe('nosniff');
  const others = [name.replace('png', 'gif'), 'secret.png', '..%2f..%2ftoken', `..%2fr1%2f${name}`];
  for (const path of [...others.map((one) => `r1/pictures/${one}`), `r9/pictures/${name}`])
    expect(`${path} ${(await get(`/runs/${path}`)).status}`).toBe(`${path} 404`);
});
