// The one way in for the local channel, the shell and the web: a message is written down, handled, and what Bosun posts
// in its thread is given back as it comes.
import { randomUUID } from 'node:crypto';
import { BosunError, type Config, type InboundBody, type Message, type Now, type Room } from '../dispatch/index.js';
import { planFor } from './desk/hear.js';

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
  const handle = async (row: NonNullable<ReturnType<Room['store']['receive']>>, cwd: string): Promise<Heard> => {
    let project: string | null = null;
    const submitted = await room.submit((now) => {
      const plan = planFor(row, now, config(), cwd);
      project = projectOf(
        plan.events.map((event) => event.run),
        now,
        plan.events,
      );
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
      for (const row of room.store.pendingInbox()) await handle(row, process.cwd());
    },
  };
}

function projectOf(
  runs: readonly string[],
  now: Now,
  events: readonly { readonly type: string; readonly run: string }[],
): string | null {
  const projects = new Set(
    runs.map((run) => now.spine(run)?.run.project ?? createdProject(events, run)).filter((one) => one !== null),
  );
  const [only] = projects;
  return projects.size === 1 ? (only ?? null) : null;
}

function createdProject(
  events: readonly { readonly type: string; readonly run: string }[],
  run: string,
): string | null {
  const created = events.find((event) => event.type === 'run_created' && event.run === run);
  return created && 'project' in created ? String(created.project) : null;
}
