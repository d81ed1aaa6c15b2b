// What becomes of an attempt's refs when its envelope is on record.
import { expect, it } from 'vitest';
import { remoteEvents } from '../../../src/dispatch/remote/index.js';
import { type Envelope, emptyEnvelope } from '../../../src/engine/index.js';
import { givenSpec } from '../../agents/attempts/given.js';

const nothing = { checkpoint: null, tries: null };
const fault = { code: 'worker_work', message: 'Its work lies at refs/bosun/h1/a1/back.', remedy: 'ask' as const };

/** How an attempt ends whose work comes to `taken`: the attempts whose refs went. */
async function forgottenAfter(taken: Partial<Envelope>): Promise<readonly string[]> {
  const forgotten: string[] = [];
  const events = remoteEvents({
    events: {
      started: () => Promise.resolve(true),
      progress: () => undefined,
      finished: () => Promise.resolve(),
      lost: () => Promise.resolve(),
    },
    notes: {
      writeBefore: () => undefined,
      readBefore: () => nothing,
      writeCheckpoint: () => undefined,
      readCheckpoint: () => null,
      forget: () => undefined,
      keep: () => undefined,
    },
    bundleTransfer: {
      begin: () => Promise.resolve(),
      send: () => Promise.reject(new Error('nothing is sent')),
      take: (_, envelope) => Promise.resolve({ ...envelope, ...taken }),
      forget: (attempt) => Promise.resolve(void forgotten.push(attempt)),
    },
    logs: { begin: () => undefined, hear: () => undefined, end: () => Promise.resolve() },
    logFolderOf: ({ sharedDir }) => sharedDir,
    answer: () => Promise.resolve({ status: 200, body: '' }),
    now: () => 0,
    specOf: (attempt) => givenSpec({ attempt }),
    beforeOf: () => nothing,
    setCheckpoint: () => undefined,
    endProcesses: () => Promise.resolve(),
    onError: (error) => {
      throw error;
    },
  });
  await events.finished('a1', emptyEnvelope);
  return forgotten;
}

it('deletes the refs of work that was applied', async () => {
  expect(await forgottenAfter({})).toEqual(['a1']);
});

it('keeps the refs of work that could not be applied, since a card names them', async () => {
  expect(await forgottenAfter({ fault })).toEqual([]);
});
