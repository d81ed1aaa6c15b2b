// The one way in for every channel: a message is written down, then handled, and what Bosun posts in its thread is given
// back as it comes. A channel whose platform must be told that a message arrived writes down first and works after.
import { randomUUID } from 'node:crypto';
import { BosunError, writeFailureOf } from '../../base/index.js';
import { type Config, localSource } from '../../config/index.js';
import type { MakePlan, Plan, PlanContext, Runtime } from '../../dispatch/index.js';
import type { InboundBody, InboxRow, Message } from '../../store/index.js';
import { isToBeFetched } from '../commands/incoming-files.js';
import { type Aside, nothingAside, threadAt } from '../commands/message-context.js';
import { planFor } from '../commands/plan-message.js';
import { withoutJoiners } from '../render/word-joiner.js';
import { view } from '../views/view.js';
import type { Beforehand } from './prepare-message.js';

export interface InboundMessage {
  readonly thread: string;
  /** null: the one who owns the home. */
  readonly by: string | null;
  readonly body: InboundBody;
  readonly cwd: string;
  readonly source?: string;
  /** The same message said again under its id, or under another one of its ids, is taken once. */
  readonly externalId?: string;
  readonly aliases?: readonly string[];
}

export interface HandledMessage {
  readonly messages: readonly Message[];
  /** The project that it moved, for whoever wants to wait for it; null when it moved none, or several. */
  readonly project: string | null;
  readonly exit: 0 | 2 | 3;
}

export interface InboxService {
  hear(said: InboundMessage): Promise<HandledMessage>;
  /** On disk when it returns; null: it was known. Throws where it cannot be written. */
  note(said: InboundMessage): InboxRow | null;
  /** Works on what was noted. What is noted earlier is decided earlier. */
  handle(row: InboxRow, cwd?: string): Promise<HandledMessage>;
  /** Takes up what was written down and not handled when an earlier process ended, whichever channel it came by. */
  recover(): Promise<void>;
}

export function inboxService(runtime: Runtime, config: () => Config, before: Beforehand = () => null): InboxService {
  const handle = async (
    row: InboxRow,
    cwd = '/',
    submit = (work: MakePlan) => runtime.submit(work),
  ): Promise<HandledMessage> => {
    // What needs nothing is decided in the order in which it came.
    const waits = before(row, cwd);
    const aside = waits === null ? nothingAside : await waits;
    let project: string | null = null;
    const submitted = await submit((now) => {
      const plan = planOrApology(row, now, config(), { cwd, aside });
      project = projectOf(plan, now);
      return plan;
    });
    const messages = submitted.messages.filter((message) => message.thread === row.thread);
    return { messages, project, exit: submitted.exit };
  };
  const note = ({ cwd: _, ...said }: InboundMessage): InboxRow | null => {
    const { source = localSource, externalId = randomUUID() } = said;
    return runtime.store.receive({ ...said, body: asTyped(said.body), source, externalId, at: Date.now() });
  };
  return {
    note,
    handle,
    async hear(said) {
      const row = await runtime.patient(() => note(said));
      if (!row) throw new BosunError('bad_input', `${said.externalId} was heard before`);
      try {
        return await handle(row, said.cwd);
      } catch (error) {
        const failure = writeFailureOf(error);
        if (!(error instanceof BosunError) || (failure !== 'locked' && failure !== 'refused')) throw error;
        // It is written down, so the next start would work on it: better as soon as the database can be written.
        handle(row, said.cwd, (work) => runtime.keep(work)).catch(() => undefined);
        const hint = 'Your message is stored: Bosun works on it as soon as it can write there, so do not say it again.';
        throw new BosunError(error.code, error.message, { hint, cause: error });
      }
    },
    async recover() {
      for (const row of runtime.store.pendingInbox()) {
        // Only the channel that it came by can fetch what belongs to it.
        if (isToBeFetched(row)) continue;
        // A message that hits a bug has stopped its run and told its thread; the others are heard all the same.
        await handle(row, process.cwd()).catch(() => undefined);
      }
    },
  };
}

/** Words that somebody copied from a message of Bosun's may hold joiners that nobody sees. */
function asTyped(body: InboundBody): InboundBody {
  return body.type === 'command' || body.text === null ? body : { ...body, text: withoutJoiners(body.text) };
}

/** A message that hits a bug is answered all the same, and is not met again at every start. */
function planOrApology(
  row: InboxRow,
  now: PlanContext,
  config: Config,
  { cwd, aside }: { readonly cwd: string; readonly aside: Aside },
): Plan {
  try {
    return planFor(row, now, config, cwd, aside);
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
    const threads = now.store.thread(row.thread) ? [] : [threadAt(row.thread)];
    return { events: [], messages: [message], threads, inboxDone: row.id, exit: 3 };
  }
}

/** The project that a plan moves; null for none, and for several. */
function projectOf(plan: Plan, now: PlanContext): string | null {
  const moved = plan.events.map((event) =>
    event.type === 'run_created' ? event.project : now.spine(event.run)?.run.project,
  );
  const [only = null, ...others] = new Set(moved.filter((one) => one !== undefined));
  return others.length === 0 ? only : null;
}
