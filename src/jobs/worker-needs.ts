import type { AttemptSpec } from './attempt-spec.js';

/** Jobs on the home's disk need it; workers that share the disk offer it. */
export const homeDisk = 'home-disk';

export type NeedsOf = (spec: Pick<AttemptSpec, 'project' | 'workdir' | 'needs'>) => readonly string[];

export const ownNeeds: NeedsOf = ({ needs = [] }) => needs;
