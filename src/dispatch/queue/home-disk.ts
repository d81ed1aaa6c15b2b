/** What a job needs that only works where the home and its projects are; every worker that shares that disk can do it. */
export const homeDisk = 'home-disk';
