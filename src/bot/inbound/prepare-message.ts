// The slow work before a message can be planned: creating a new project's folder, or asking the configured intent
// program.

import { type Config, type Home, nameInConfig } from '../../config/index.js';
import { askIntent, type KeptRows, makeProject, type Submitter } from '../../dispatch/index.js';
import type { InboxRow } from '../../store/index.js';
import { projectOfOffer } from '../commands/instructions/new-project.js';
import { type Choice, choicesFor } from '../commands/instructions/possible.js';
import { offerOf } from '../commands/message-buttons.js';
import { type Aside, nothingAside, type VerbRegistry } from '../commands/message-context.js';
import { type Circumstances, memberContext } from '../commands/plan-message.js';

/** null if there is none, so that the message is planned at once. */
export type Preparation = (row: InboxRow, more: Omit<Circumstances, 'aside'>) => Promise<Aside> | null;

export interface PreparationParts {
  readonly runtime: Pick<Submitter, 'submit'> & Pick<KeptRows, 'reader' | 'deliveries'>;
  readonly home: Home;
  readonly config: () => Config;
  /** Reads config.yaml again. */
  readonly fresh: () => Config;
  readonly log: (message: string) => void;
}

export function prepareMessage(parts: PreparationParts): Preparation {
  return (row, more) => {
    const { body } = row;
    if (body.type === 'press') return newProject(parts, row, body.press, more.verbs);
    if (body.type !== 'text' || body.replyTo !== null || parts.config().intent === null) return null;
    return choose(parts, row, more);
  };
}

function newProject(
  { runtime, home, config, fresh }: PreparationParts,
  row: InboxRow,
  press: string,
  { grammar }: VerbRegistry,
): Promise<Aside> | null {
  const presser = { config: config(), grammar, by: row.by, thread: row.thread };
  const offered = offerOf(runtime, press, presser);
  const wanted = offered.kind === 'offer' ? projectOfOffer(offered.says, config(), row.by) : null;
  if (wanted === null) return null;
  const { name } = wanted;
  const owner = wanted.owner === null ? null : nameInConfig(wanted.owner);
  // Idempotent: a retry after a crash finds the project already created.
  if (fresh().projects.some((project) => project.name === name))
    return Promise.resolve({ kind: 'made', project: name });
  return makeProject(home, process.env, config(), { name, owner }).then(
    (): Aside => {
      fresh();
      return { kind: 'made', project: name };
    },
    (error: unknown): Aside => ({
      kind: 'not_made',
      why: error instanceof Error ? `${error.message}.` : String(error),
    }),
  );
}

async function choose(
  { runtime, config, log }: PreparationParts,
  row: InboxRow,
  more: Omit<Circumstances, 'aside'>,
): Promise<Aside> {
  let choices: readonly Choice[] = [];
  await runtime.submit((now) => {
    const context = memberContext(row, now, config(), more);
    choices = context === null || row.body.type !== 'text' ? [] : choicesFor(context, row.body.text);
    return { events: [] };
  });
  if (row.body.type !== 'text' || choices.length === 0) return nothingAside;
  const asked = { text: row.body.text, proposals: choices.map(({ id, label }) => ({ id, label })) };
  const chosen = await askIntent(config(), asked, log);
  const says = chosen.flatMap((id) => choices.find((choice) => choice.id === id)?.says ?? []);
  return says.length === 0 ? nothingAside : { kind: 'chosen', says };
}
