// The effects of a commit are isolated from each other.
import { describe, expect, it } from 'vitest';
import type { Transaction } from '../../src/dispatch/commit/transaction.js';
import { emptyPlan } from '../../src/dispatch/index.js';
import { EffectRunner } from '../../src/dispatch/run-effects.js';

/** Runs the effects of one commit, of which one throws; the rest note their names. */
function actWith(broken: string) {
  const done: string[] = [];
  const errors: unknown[] = [];
  const effect = (name: string) => () => {
    if (name === broken) throw new Error(`${name} failed`);
    done.push(name);
  };
  const later = (name: string) => async () => effect(name)() as never;
  const runner = new EffectRunner({
    queue: { add: later('add'), extend: later('extend') },
    outage: { more: effect('outage') },
    waits: { more: effect('waits') },
    attempts: { cancel: later('cancel'), wait: effect('wait') },
    asks: { tell: effect('tell'), look: effect('look') },
    words: { look: effect('words') },
    openedSessions: { look: effect('sessions') },
    reminders: { note: effect('reminders') },
    checkouts: { perform: effect('perform'), export: effect('export') },
    wants: { done: effect('wants'), handOut: effect('handOut') },
    webhooks: { wake: effect('webhooks') },
    startNext: () => emptyPlan,
    announce: effect('announce'),
    keep: later('keep'),
    kept: (act) => act(),
    onRest: effect('rest'),
    onError: (error) => errors.push(error),
  });
  const after = {
    ...{ jobs: [], cancels: [], extensions: [], waits: ['a1'], wantsDone: [], wants: [], answers: [] },
    ...{ touched: new Map([['r1', new Set([''])]]), recalls: [], ops: [{ run: 'r1', op: {} }], ended: new Set() },
  };
  runner.act({ after } as unknown as Transaction, []);
  return { done, errors };
}

describe('the effects of a commit', () => {
  const all = [
    'wait',
    'wants',
    'look',
    'words',
    'sessions',
    'reminders',
    'perform',
    'announce',
    'webhooks',
    'export',
    'rest',
  ];

  it.each(all.filter((name) => name !== 'rest'))('all run even if %s throws, and the error is reported', (broken) => {
    const { done, errors } = actWith(broken);
    expect(done).toEqual(all.filter((name) => name !== broken));
    expect(errors).toEqual([new Error(`${broken} failed`)]);
  });
});
