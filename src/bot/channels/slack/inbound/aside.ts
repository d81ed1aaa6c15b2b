// Where it is told what came of a press: where it was pressed, but what came to nothing concerns one person alone.
import type { Config } from '../../../../config/index.js';
import { type InboxRow, placedThread, type Store } from '../../../../store/index.js';
import { troubleOf } from './read/read-press.js';
import { isOnly, onlyFor } from './read/thread-keys.js';

/** The row as it is to be handled. */
export function asideFor(row: InboxRow, store: Store, config: Config): InboxRow {
  const { by, body, thread } = row;
  const channel = placedThread(thread, null)?.address['chat'] ?? '';
  const isShownToMany = /^[CG]/.test(channel) && !isOnly(thread);
  if (body.type !== 'press' || by === null || !isShownToMany) return row;
  const user = by.split('/')[1] ?? config.people.find(({ name }) => name === by)?.slack ?? null;
  if (user === null || troubleOf(store, config, by, body.press) === null) return row;
  return { ...row, thread: onlyFor(channel, user, store) };
}
