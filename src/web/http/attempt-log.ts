// Locates the log of an attempt.

import { projectNamed } from '../../config/index.js';
import { findLog, type LogPlace } from '../../dispatch/index.js';
import type { AttemptRow } from '../../store/index.js';
import type { WebContext } from '../context/web-context.js';

export function logPlaceOf({ services }: Pick<WebContext, 'services'>, row: AttemptRow): LogPlace {
  const { store } = services.runtime;
  const root = projectNamed(services.config(), store.run(row.run)?.project ?? '')?.root ?? null;
  return findLog(services.home, { row, label: store.browsing.nodeLabel(row.run, row.node) ?? '', root });
}
