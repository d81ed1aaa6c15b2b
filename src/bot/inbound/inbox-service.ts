// Every channel's entrance: stores, handles, returns the thread's posts.
import { randomUUID } from 'node:crypto';
import { BosunError, writeFailureOf } from '../../base/index.js';
import { type Config, localSource } from '../../config/index.js';
import {
  emptyPlan,
  type MakePlan,
  type Plan,
  type PlanContext,
  type Submitter,
  withEffects,
} from '../../dispatch/index.js';
import type { InboundBody, InboxRow, InboxRows, Message } from '../../store/index.js';
import { isToBeFetched } from '../commands/incoming-files.js';
import { newThread, nothingAside, type ParsedText, type VerbRegistry } from '../commands/message-context.js';
import { type Circumstances, planFor } from '../commands/plan-message.js';
import { ownVerbs } from '../commands/verb-handlers.js';
import { withoutJoiners } from '../render/word-joiner.js';
import { view } from '../views/view.js';
import type { Preparation } from './prepare-message.js';

export interface InboundMessage {
  readonly thread: string;
  /** Null: the home's owner. */
  readonly by: string | null;
  readonly body: InboundBody;
  readonly cwd: string;
  readonly source?: string;
  /** Taken once under this id or an alias. */
  readonly externalId?: string;
  readonly aliases?: readonly string[];
  /** In memory only; absent: read when handled. */
  readonly parsed?: ParsedText;
}

export interface HandledMessage {
  readonly messages: readonly Message[];
  /** The project that changed; null: none or several. */
  readonly project: string | null;
  readonly exit: 0 | 2 | 3;
}

export interface InboxService {
  readonly verbs: VerbRegistry;
  hear(said: InboundMessage): Promise<HandledMessage>;
  /** On disk at the return; null: a duplicate. Throws if not written. */
  note(said: InboundMessage): InboxRow | null;
  /** Rows are decided in the order of noting. */
  handle(row: InboxRow, parsed?: ParsedText | null): Promise<HandledMessage>;
  recover(): Promise<void>;
}

type InboxRuntime = Submitter & { readonly inbox: InboxRows };

export function inboxService(
  runtime: InboxRuntime,
  config: () => Config,
  prepare: Preparation = () => null,
  verbs: VerbRegistry = ownVerbs,
): InboxService {
  const handle = async (
    row: InboxRow,
    { cwd = '/', parsed = null }: Partial<Pick<Circumstances, 'cwd' | 'parsed'>> = {},
    submit = (work: MakePlan) => runtime.submit(work),
  ): Promise<HandledMessage> => {
    // Rows without preparation skip the await, which keeps the order.
    const waits = prepare(row, { cwd, parsed, verbs });
    const aside = waits === null ? nothingAside : await waits;
    let project: string | null = null;
    const submitted = await submit((now) => {
      const plan = planOrApology(row, now, config(), { cwd, parsed, verbs, aside });
      project = projectOf(plan, now);
      return plan;
    });
    const messages = submitted.messages.filter((message) => message.thread === row.thread);
    return { messages, project, exit: submitted.exit };
  };
  const note = ({ cwd: _, parsed: _parsed, ...said }: InboundMessage): InboxRow | null => {
    const { source = localSource, externalId = randomUUID() } = said;
    return runtime.inbox.receive({ ...said, body: asTyped(said.body), source, externalId, at: Date.now() });
  };
  return {
    verbs,
    note,
    handle: (row, parsed = null) => handle(row, { parsed }),
    async hear(said) {
      const row = await runtime.patient(() => note(said));
      if (!row) throw new BosunError('bad_input', `${said.externalId} was heard before`);
      try {
        return await handle(row, said);
      } catch (error) {
        const failure = writeFailureOf(error);
        if (!(error instanceof BosunError) || (failure !== 'locked' && failure !== 'refused')) throw error;
        // The row is stored, so retry until the database takes it.
        handle(row, said, (work) => runtime.keep(work)).catch(() => undefined);
        const hint = "Your message is stored, and Bosun handles it as soon as it can write there. Don't send it again.";
        throw new BosunError(error.code, error.message, { hint, cause: error });
      }
    },
    async recover() {
      for (const row of runtime.inbox.pendingInbox()) {
        // Only its channel can fetch it.
        if (isToBeFetched(row)) continue;
        // Its run was stopped and its thread told, so the others go on.
        await handle(row, { cwd: process.cwd() }).catch(() => undefined);
      }
    },
  };
}

/** Copied texts may hold word joiners. */
function asTyped(body: InboundBody): InboundBody {
  return body.type === 'command' || body.text === null ? body : { ...body, text: withoutJoiners(body.text) };
}

/** A bug is answered and marked done, so that it does not recur at every start. */
function planOrApology(row: InboxRow, now: PlanContext, config: Config, more: Circumstances): Plan {
  try {
    return planFor(row, now, config, more);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const hint = error instanceof BosunError && error.hint ? `\n${error.hint}` : '';
    const text = `An error stopped that, and nothing was done: ${why}${hint}`;
    const message = {
      thread: row.thread,
      run: null,
      interaction: null,
      card: null,
      view: view('error', text),
      at: now.at,
    };
    const plan: Plan = { ...emptyPlan, messages: [message], exit: 3 };
    return withEffects(plan, ...newThread(now.reader, row.thread), { type: 'inbox_done', row: row.id });
  }
}

function projectOf(plan: Plan, now: PlanContext): string | null {
  const moved = plan.events.map((event) =>
    event.type === 'run_created' ? event.project : now.spine(event.run)?.run.project,
  );
  const [only = null, ...others] = new Set(moved.filter((one) => one !== undefined));
  return others.length === 0 ? only : null;
}
