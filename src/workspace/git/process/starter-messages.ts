// Messages between Bosun and its starter: one build, parent and child, so not parsed.
import type { ProcessEnd, ProcessWanted } from './git-process.js';

/** `isStuck` and `signal` stay with Bosun: the starter asks for one, and hears of the other. */
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
