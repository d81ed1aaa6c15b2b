import { projectNamed } from '../../config/index.js';
import { findLog, type LogPlace } from '../../dispatch/index.js';
import type { Envelope } from '../../engine/index.js';
import type { AttemptRow, HomeReader } from '../../store/index.js';
import type { WebContext } from '../context/web-context.js';

export function logPlaceOf({ services }: Pick<WebContext, 'services'>, row: AttemptRow): LogPlace {
  const { reader } = services.runtime;
  const root = projectNamed(services.config(), reader.run(row.run)?.project ?? '')?.root ?? null;
  return findLog(services.home, { row, label: reader.browsing.nodeLabel(row.run, row.node) ?? '', root });
}

/** Null: nothing yet. */
export function envelopeOf(reader: Pick<HomeReader, 'browsing'>, { run, attempt }: AttemptRow): Envelope | null {
  if (attempt.endedAt === null) return null;
  const event = reader.browsing.settledEvent(run, attempt.id, attempt.endedAt);
  return event?.type === 'attempt_settled' ? event.envelope : null;
}
