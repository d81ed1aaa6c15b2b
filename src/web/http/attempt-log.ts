// Locates the log of an attempt.

import { projectNamed } from '../../config/index.js';
import { findLog, type LogPlace } from '../../dispatch/index.js';
import type { AttemptRow } from '../../store/index.js';
import type { WebContext } from '../context/web-context.js';

export function logPlaceOf({ services }: Pick<WebContext, 'services'>, row: AttemptRow): LogPlace {
  const { reader } = services.runtime;
  const root = projectNamed(services.config(), reader.run(row.run)?.project ?? '')?.root ?? null;
  return findLog(services.home, { row, label: reader.browsing.nodeLabel(row.run, row.node) ?? '', root });
}
