import type { AttemptSpec } from './attempt-spec.js';

/** Required by jobs that need the home's disk; every worker that shares this disk offers it. */
export const homeDisk = 'home-disk';

/** The worker capabilities that a job requires at present. */
export type NeedsOf = (spec: Pick<AttemptSpec, 'project' | 'workdir' | 'needs'>) => readonly string[];

/** Only the needs of its executor. */
export const ownNeeds: NeedsOf = ({ needs = [] }) => needs;
