import { it } from 'vitest';
import { expectSameEnd, sceneRows } from './scenes.js';

const kills = { stories: 2, gate: 2 } as const;

it.each(sceneRows)('despite kills of Bosun, $ends', { timeout: 200_000 }, ({ name }) =>
  expectSameEnd(name, { firstSeed: 1, kills: kills[name] }),
);
