import { expect, it } from 'vitest';
import { parseWorker, printWorker } from '../../src/jobs/index.js';

it.each([
  ['local-4711', { kind: 'own', pid: 4711 }],
  ['outside-claim-1', { kind: 'external', claim: 'claim-1' }],
  ['build-7', { kind: 'remote', name: 'build-7' }],
  ['', { kind: 'remote', name: '' }],
] as const)('reads the stored worker "%s" and writes it back', (stored, worker) => {
  expect(parseWorker(stored)).toEqual(worker);
  expect(printWorker(worker)).toBe(stored);
});
