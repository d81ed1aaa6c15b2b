// What a dispatcher asks besides its store: no limits, bound threads, members, secrets or webhooks, and no listener.
import type { DispatcherParts } from '../src/dispatch/commit/dispatcher.js';

export const dispatcherParts: Omit<DispatcherParts, 'store' | 'cache' | 'present' | 'jobOf' | 'now' | 'act'> = {
  ...{
    onCommit: () => undefined,
    onBug: () => undefined,
    followersOf: (_run, following) => following,
    limitsOf: () => null,
  },
  ...{
    lastSign: () => null,
    waitsFor: () => null,
    hears: () => false,
    audienceOf: () => null,
    publicUrl: () => null,
    redact: (text) => text,
    callsOf: () => [],
  },
};
