import type { Attempt } from '../../../engine/index.js';
import { outcomeSaid, type Said } from '../shared/status.js';
import { lineOf } from '../shared/text.js';

export function saidOf(attempt: Attempt): Said {
  if (attempt.outcome !== null) {
    const said = outcomeSaid(attempt.outcome);
    const reason =
      attempt.reason === null || attempt.outcome === 'pass'
        ? ''
        : `: ${lineOf(attempt.reason.replaceAll('_', ' '), 40)}`;
    return { tone: said.tone, word: `${said.word}${reason}` };
  }
  return attempt.state === 'queued'
    ? { tone: 'quiet', word: 'queued', mark: 'queue' }
    : { tone: 'run', word: 'working' };
}

export function isFailed({ outcome }: Pick<Attempt, 'outcome'>): boolean {
  return outcome === 'failing' || outcome === 'crashed' || outcome === 'timeout';
}

export function failureWords({ summary, reason }: Pick<Attempt, 'summary' | 'reason'>): string {
  return lineOf(summary ?? reason?.replaceAll('_', ' ') ?? '', 240);
}
