// Finds rule changes during an external step, since the claim or the last known state.

import type { Home } from '../../config/index.js';
import { acceptedMarks, type RuleMarks, touchedRules } from '../../config/index.js';
import type { Envelope } from '../../engine/index.js';
import type { AttemptSpec } from '../../jobs/index.js';
import type { AttemptRow, Store } from '../../store/index.js';
import { checkpointSchema } from '../../workspace/index.js';
import { earlierTries } from './earlier-tries.js';

interface RuleParts {
  readonly store: Pick<Store, 'attempt' | 'attempts' | 'attemptsOfRun'>;
  readonly home: Pick<Home, 'dir'>;
}

type Places = Pick<AttemptSpec, 'root' | 'workdir'>;

const maxLookedAt = 50;

/** After a failed attempt too: the next claim must not start from changed rules. */
export function withRulesSinceClaim(envelope: Envelope, row: AttemptRow, places: Places, parts: RuleParts): Envelope {
  const before = earlierTries(parts.store, row.attempt.id)?.before.rules ?? marksOf(row);
  return withTouched(envelope, before, places, parts);
}

export interface Reported {
  readonly run: string;
  readonly chain: string;
  readonly node: string;
}

/** Without a claim: since this step's first try, else since the checkout's last attempt. */
export function withRulesSinceLast(envelope: Envelope, on: Reported, places: Places, parts: RuleParts): Envelope {
  const tries = parts.store.attempts(on.run, on.node);
  const ofGeneration = tries.filter(({ attempt }) => attempt.generation === tries.at(-1)?.attempt.generation);
  const inCheckout = parts.store.attemptsOfRun(on.run, maxLookedAt).filter(({ chain }) => chain === on.chain);
  const newestFirst = inCheckout.toSorted((one, other) => other.attempt.dispatchedAt - one.attempt.dispatchedAt);
  const before = [...ofGeneration, ...newestFirst].map(marksOf).find((marks) => marks !== undefined);
  return withTouched(envelope, before ?? acceptedMarks(places, parts.home.dir), places, parts);
}

function marksOf({ checkpoint }: AttemptRow): RuleMarks | undefined {
  return checkpoint === null ? undefined : checkpointSchema.parse(JSON.parse(checkpoint)).rules;
}

function withTouched(envelope: Envelope, before: RuleMarks | undefined, places: Places, { home }: RuleParts): Envelope {
  const touched = before === undefined ? [] : touchedRules(before, places, home.dir);
  if (touched.length === 0) return envelope;
  return {
    ...envelope,
    touchedRules: touched,
    filesChanged: [...new Set([...touched, ...envelope.filesChanged])],
  };
}
