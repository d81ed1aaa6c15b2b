import { type Event, isStoppedByLimit } from '../../engine/index.js';
import type { Store } from '../../store/index.js';
import { emptyPlan, type MakePlan, type Submitted } from '../plans/plan.js';

export interface NewDayParts {
  readonly store: Pick<Store, 'openInteractions'>;
  submit(work: MakePlan): Promise<Submitted>;
}

export async function wakeAfterLimit(parts: NewDayParts): Promise<void> {
  const held = parts.store.openInteractions(null).filter(({ interaction }) => interaction.subject.type === 'fuse');
  const runs = new Set(held.map(({ run }) => run));
  for (const run of runs) {
    await parts.submit((now) => {
      const spine = now.spine(run);
      const isStill = spine?.interactions.some(({ subject, state }) => subject.type === 'fuse' && state === 'open');
      if (!spine || !isStill || (isStoppedByLimit(spine.run, now.at) && now.knowsLimits(run))) return emptyPlan;
      const wake: Event = { type: 'chain_resumed', run, chain: '', at: now.at, retryFailed: false };
      return { ...emptyPlan, events: [wake] };
    });
  }
}
