// What a runtime needs besides its home, for a test that says nothing of it: the embedded queue, and no other Bosun.
import type { RuntimeParts } from '../src/dispatch/runtime.js';

export const runtimeParts: Omit<RuntimeParts, 'home' | 'config' | 'present'> = {
  ...{ now: () => Date.now(), url: () => '', log: () => undefined, leaseMs: 15_000, isActive: () => true, queue: null },
};
