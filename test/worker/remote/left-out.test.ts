import { expect, it } from 'vitest';
import { givenElsewhere } from './given.js';

it('a file too large for a bundle is left out, and a warning names it', async () => {
  const world = await givenElsewhere();
  const agent = 'mkdir -p .ai/evidence; head -c 9000000 /dev/zero > .ai/evidence/film.bin; echo "STATUS: pass"';
  const done = await world.run(agent).done;
  expect(await world.take(done)).toEqual({ kind: 'taken', stayed: [] });
  expect(world.shop.has('.ai/evidence/film.bin')).toBe(false);
  expect(done.warnings.join()).toMatch(/too large to send back.*own\/\.ai\/evidence\/film\.bin/);
});
