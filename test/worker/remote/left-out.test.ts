import { expect, it } from 'vitest';
import { givenElsewhere } from './given.js';

it('what is too large to travel is named, as it is not there where Bosun looks for it', async () => {
  const world = await givenElsewhere();
  const agent = 'mkdir -p .ai/evidence; head -c 9000000 /dev/zero > .ai/evidence/film.bin; echo "STATUS: pass"';
  const done = await world.run(agent).done;
  expect(await world.take(done)).toEqual({ kind: 'taken', stayed: [] });
  expect(world.shop.has('.ai/evidence/film.bin')).toBe(false);
  expect(done.warnings.join()).toMatch(/too large to travel.*own\/\.ai\/evidence\/film\.bin/);
});
