// What could not be delivered where it belongs is told to the owners of its project, in the chats that they are met in.
import type { Parcel } from '../../dispatch/delivery/index.js';
import { type NewMessage, ownersThreads, projectNamed } from '../../dispatch/index.js';
import { buttonsOf } from '../presses.js';
import type { Desk } from '../request.js';
import { view } from '../views/view.js';

const maxQuotedChars = 1_000;
/** What tells of a failure and fails itself is told nowhere else: two dead chats would tell each other for ever. */
const cardPrefix = 'undelivered:';

export function tellOfFailure(desk: Desk, parcel: Parcel, why: string, log: (message: string) => void): void {
  const { room, config } = desk;
  log(`telegram: ${parcel.message} cannot be delivered to ${parcel.thread.id}: ${why}`);
  if (parcel.card?.startsWith(cardPrefix)) return;
  const told = room.submit((now) => {
    const message = now.store.message(parcel.message);
    const run = message?.run ?? null;
    const project = (run === null ? null : now.spine(run)?.run.project) ?? parcel.thread.project;
    const text = `This could not be delivered to ${parcel.thread.id}: ${why}\n\n${parcel.view.text.slice(0, maxQuotedChars)}`;
    const buttons = buttonsOf({ id: `m${parcel.n}`, view: parcel.view });
    const shown = view({ kind: 'report', text, buttons, rings: true });
    const owned = project === null ? null : projectNamed(config(), project);
    const messages = (owned === null ? ['local'] : ownersThreads(config(), owned))
      .filter((thread) => thread !== parcel.thread.id)
      .map(
        (thread): NewMessage => ({
          ...{ thread, run, interaction: message?.interaction ?? null, at: now.at },
          card: `${cardPrefix}${parcel.message}`,
          view: shown,
        }),
      );
    return { events: [], messages };
  });
  told.catch((error: unknown) => log(`telegram: ${String(error)}`));
}
