import type { AttemptSpec } from './attempt-spec.js';

/** Needed by jobs on the home's disk; every worker that shares it offers it. */
export const homeDisk = 'home-disk';

export type NeedsOf = (spec: Pick<AttemptSpec, 'project' | 'workdir' | 'needs'>) => readonly string[];

export const ownNeeds: NeedsOf = ({ needs = [] }) => needs;
