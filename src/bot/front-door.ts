// The one way in for the local channel, the shell and the web: a message is written down, handled, and what Bosun posts
// in its thread is given back as it comes.
import { randomUUID } from 'node:crypto';
import {
  BosunError,
  type Config,
  type InboundBody,
  type InboxRow,
  type Message,
  type Now,
  type Plan,
  type Room,
} from '../dispatch/index.js';
import { planFor } from './desk/hear.js';
import { view } from './views/view.js';

export interface Said {
  readonly thread: string;
  /** null: the one who owns the home. */
  readonly by: string | null;
  readonly body: InboundBody;
  readonly cwd: string;
  readonly source?: string;
  /** The same message said again under its id is taken once. */
  readonly externalId?: string;
}

export interface Heard {
  readonly messages: readonly Message[];
  /** The project that it moved, for whoever wants to wait for it; null when it moved none, or several. */
  readonly project: string | null;
  readonly exit: 0 | 2 | 3;
}

export interface FrontDoor {
  hear(said: Said): Promise<Heard>;
  /** Takes up what was written down and not handled when an earlier process ended. */
  recover(): Promise<void>;
}

export function frontDoor(room: Room, config: () => Config): FrontDoor {
  const handle = async (row: InboxRow, cwd: string): Promise<Heard> => {
    let project: string | null = null;
    const submitted = await room.submit((now) => {
      const plan = planOrApology(row, now, config(), cwd);
      project = projectOf(plan, now);
      return plan;
    });
    const messages = submitted.messages.filter((message) => message.thread === row.thread);
    return { messages, project, exit: submitted.exit };
  };
  return {
    hear(said) {
      const { thread, by, body, cwd } = said;
      const externalId = said.externalId ?? randomUUID();
      const row = room.store.receive({ source: said.source ?? 'local', externalId, thread, by, body, at: Date.now() });
      if (!row) return Promise.reject(new BosunError('bad_input', `${externalId} was heard before`));
      return handle(row, cwd);
    },
    async recover() {
      for (const row of room.store.pendingInbox()) {
        // A message that hits a bug has stopped its run and told its thread; the others are heard all the same.
        await handle(row, process.cwd()).catch(() => undefined);
      }
    },
  };
}

/** A message that hits a bug is answered all the same, and is not met again at every start. */
function planOrApology(row: InboxRow, now: Now, config: Config, cwd: string): Plan {
  try {
    return planFor(row, now, config, cwd);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const hint = error instanceof BosunError && error.hint ? `\n${error.hint}` : '';
    const text = `That hit an error, and nothing was done: ${why}${hint}`;
    const message = {
      thread: row.thread,
      run: null,
      interaction: null,
      card: null,
      view: view({ kind: 'error', text }),
      at: now.at,
    };
    const thread = { id: row.thread, channel: 'local', address: {}, project: null, quiet: false };
    const threads = now.store.thread(row.thread) ? [] : [thread];
    return { events: [], messages: [message], threads, inboxDone: row.id, exit: 3 };
  }
}

/** The project that a plan moves; null for none, and for several. */
function projectOf(plan: Plan, now: Now): string | null {
  const moved = plan.events.map((event) =>
    event.type === 'run_created' ? event.project : now.spine(event.run)?.run.project,
  );
  const [only = null, ...others] = new Set(moved.filter((one) => one !== undefined));
  return others.length === 0 ? only : null;
}
