import type { AttemptSpec } from './attempt-spec.js';

/** Required by jobs that need the home's disk; every worker that shares this disk offers it. */
export const homeDisk = 'home-disk';

export type NeedsOf = (spec: Pick<AttemptSpec, 'project' | 'workdir' | 'needs'>) => readonly string[];

export const ownNeeds: NeedsOf = ({ needs = [] }) => needs;
