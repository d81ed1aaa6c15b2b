import type { Checkpoint } from '../workspace/index.js';
export interface FreightPlace { readonly folder: string; readonly shared: string; readonly log: string | null }
type Blocked = { readonly kind: 'blocked'; readonly why: string; readonly hint: string };
const no = (): never => { throw new Error('not there yet'); };
export const dropFreight = (_f: string, _r: string, _refs: readonly string[]): Promise<string | null> => no();
export const listFreight = (_f: string, _r: string, _p: string): Promise<readonly string[]> => no();
export const remoteAddress = (_f: string, _r: string): Promise<string | null> => no();
export const packFreight = (_p: FreightPlace): Promise<{ commit: string; checkpoint: Checkpoint; leftOut: readonly string[] }> => no();
export const pushFreight = (_f: string, _t: string, _s: { ref: string; commit: string }, _g?: AbortSignal): Promise<{ kind: 'pushed' } | Blocked> => no();
export const fetchFreight = (_f: string, _t: string, _s: { ref: string; commit: string }, _g?: AbortSignal): Promise<{ kind: 'fetched' } | Blocked> => no();
export const takeFreight = (_p: FreightPlace, _s: string, _b: string): Promise<{ kind: 'taken' } | Blocked | { kind: 'clash'; files: readonly string[] }> => no();
