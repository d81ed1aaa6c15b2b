import type { AttemptSpec } from './attempt-spec.js';

/** What a job needs that only works where the home and its projects are; every worker that shares that disk can do it. */
export const homeDisk = 'home-disk';

/** What a worker must be able to do for it, as things are now. */
export type NeedsOf = (spec: Pick<AttemptSpec, 'project' | 'workdir' | 'needs'>) => readonly string[];

/** Nothing but what its executor needs. */
export const ownNeeds: NeedsOf = ({ needs = [] }) => needs;
