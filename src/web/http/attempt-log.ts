// Where the log of an attempt lies.

import { projectNamed } from '../../config/index.js';
import { findLog, type LogPlace } from '../../dispatch/index.js';
import type { AttemptRow } from '../../store/index.js';
import type { WebContext } from '../context/web-context.js';

export function logPlaceOf({ desk }: Pick<WebContext, 'desk'>, row: AttemptRow): LogPlace {
  const { store } = desk.room;
  const root = projectNamed(desk.config(), store.run(row.run)?.project ?? '')?.root ?? null;
  return findLog(desk.home, { row, label: store.browsing.nodeLabel(row.run, row.node) ?? '', root });
}
