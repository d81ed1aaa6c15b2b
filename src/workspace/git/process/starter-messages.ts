// Parent and child are one build, so messages are not validated.
import type { ProcessEnd, ProcessWanted } from './git-process.js';

/** Without `isStuck` and `signal`, which stay in Bosun. */
export type StarterOrder =
  | {
      readonly id: number;
      readonly run: Omit<ProcessWanted, 'isStuck' | 'signal'>;
      readonly asksIfStuck: boolean;
      readonly mayAbort: boolean;
    }
  | { readonly id: number; readonly abort: true }
  | { readonly id: number; readonly isStuck: boolean };

export type StarterReport =
  | { readonly ready: true }
  | { readonly id: number; readonly end: ProcessEnd }
  | { readonly id: number; readonly asksIfStuck: true };
