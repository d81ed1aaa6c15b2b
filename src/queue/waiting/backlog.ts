// Order: priority, then age; never two on one checkout unless they share a group. A lane is a checkout, a strand its
// jobs of one group. Stale entries are skipped at the top, so nothing is searched.
import { type Heap, heap } from './heap.js';

export interface Waiting {
  readonly id: string;
  readonly checkout: string | null;
  readonly group: string | null;
  readonly priority: number;
  readonly n: number;
}

export interface Backlog<J extends Waiting> {
  add(job: J): void;
  has(id: string): boolean;
  remove(id: string): void;
  take(): J | null;
  /** Another process may run a job here. */
  occupy(job: Waiting): void;
  release(id: string): void;
}

interface Strand<J> {
  readonly group: string | null;
  readonly jobs: Heap<J>;
}

interface Lane<J> {
  readonly isFree: boolean;
  readonly strands: Map<string | null, Strand<J>>;
  running: number;
  group: string | null;
}

interface Entry<J> {
  readonly lane: Lane<J>;
  readonly strand: Strand<J>;
  readonly job: J;
}

export function backlog<J extends Waiting>(): Backlog<J> {
  const waiting = new Map<string, J>();
  const running = new Map<string, Waiting>();
  const lanes = new Map<string | null, Lane<J>>();
  const listed = heap<Entry<J>>((a, b) => isBefore(a.job, b.job));

  function laneOf(checkout: string | null): Lane<J> {
    let lane = lanes.get(checkout);
    if (lane === undefined) {
      lane = { isFree: checkout === null, strands: new Map(), running: 0, group: null };
      lanes.set(checkout, lane);
    }
    return lane;
  }

  function strandOf(lane: Lane<J>, group: string | null): Strand<J> {
    let strand = lane.strands.get(group);
    if (strand === undefined) {
      strand = { group, jobs: heap<J>(isBefore) };
      lane.strands.set(group, strand);
    }
    return strand;
  }

  /** A removed job stays in its heap until it reaches the top. */
  function headOf(strand: Strand<J>): J | undefined {
    for (let job = strand.jobs.peek(); job !== undefined; job = strand.jobs.peek()) {
      if (waiting.get(job.id) === job) return job;
      strand.jobs.pop();
    }
    return undefined;
  }

  function list(lane: Lane<J>, strand: Strand<J>): void {
    const job = headOf(strand);
    if (job === undefined) lane.strands.delete(strand.group);
    else if (mayRun(lane, strand)) listed.push({ lane, strand, job });
  }

  function forgetIdle(checkout: string | null, lane: Lane<J>): void {
    if (lane.running === 0 && lane.strands.size === 0) lanes.delete(checkout);
  }

  function occupy(job: Waiting): void {
    const lane = laneOf(job.checkout);
    running.set(job.id, job);
    lane.running += 1;
    lane.group = job.group;
  }

  return {
    occupy,
    has: (id) => waiting.has(id),
    add(job) {
      const lane = laneOf(job.checkout);
      const strand = strandOf(lane, job.group);
      waiting.set(job.id, job);
      strand.jobs.push(job);
      if (headOf(strand) === job) list(lane, strand);
    },
    remove(id) {
      const job = waiting.get(id);
      if (job === undefined) return;
      waiting.delete(id);
      const lane = laneOf(job.checkout);
      list(lane, strandOf(lane, job.group));
      forgetIdle(job.checkout, lane);
    },
    take() {
      for (let entry = listed.pop(); entry !== undefined; entry = listed.pop()) {
        const { lane, strand, job } = entry;
        if (headOf(strand) !== job || !mayRun(lane, strand)) continue;
        strand.jobs.pop();
        waiting.delete(job.id);
        occupy(job);
        list(lane, strand);
        return job;
      }
      return null;
    },
    release(id) {
      const job = running.get(id);
      if (job === undefined) return;
      running.delete(id);
      const lane = laneOf(job.checkout);
      lane.running -= 1;
      if (lane.running === 0 && !lane.isFree) for (const strand of [...lane.strands.values()]) list(lane, strand);
      forgetIdle(job.checkout, lane);
    },
  };
}

function mayRun<J>(lane: Lane<J>, strand: Strand<J>): boolean {
  return lane.isFree || lane.running === 0 || (strand.group !== null && strand.group === lane.group);
}

function isBefore(a: Waiting, b: Waiting): boolean {
  return a.priority === b.priority ? a.n < b.n : a.priority < b.priority;
}
