// Slow work before planning: a new project's folder, a diff or log, the intent program.

import { type Config, type Home, nameInConfig } from '../../config/index.js';
import { askIntent, emptyPlan, type KeptRows, makeProject, type Submitter } from '../../dispatch/index.js';
import type { InboxRow } from '../../store/index.js';
import { projectOfOffer } from '../commands/instructions/new-project.js';
import { type Choice, choicesFor } from '../commands/instructions/possible.js';
import { offerOf } from '../commands/message-buttons.js';
import { type Aside, type EvidenceTarget, nothingAside } from '../commands/message-context.js';
import { type Circumstances, memberContext, planFor } from '../commands/plan-message.js';
import { mayAskForEvidence } from '../commands/reading/evidence-target.js';
import { gatherEvidence } from '../commands/reading/gather-evidence.js';

export type Preparation = (row: InboxRow, more: Omit<Circumstances, 'aside'>) => Promise<Aside> | null;

export interface PreparationParts {
  readonly runtime: Pick<Submitter, 'submit'> & Pick<KeptRows, 'reader' | 'deliveries'>;
  readonly home: Home;
  readonly config: () => Config;
  readonly fresh: () => Config;
  readonly log: (message: string) => void;
}

export function prepareMessage(parts: PreparationParts): Preparation {
  return (row, more) => {
    const { body } = row;
    if (body.type === 'press') return ofPress(parts, row, body.press, more);
    if (body.type === 'text' && mayAskForEvidence(body.text)) return evidenceOr(parts, row, more);
    if (body.type !== 'text' || body.replyTo !== null || parts.config().intent === null) return null;
    return choose(parts, row, more);
  };
}

function ofPress(
  parts: PreparationParts,
  row: InboxRow,
  press: string,
  more: Omit<Circumstances, 'aside'>,
): Promise<Aside> | null {
  const { runtime, config } = parts;
  const presser = { config: config(), grammar: more.verbs.grammar, by: row.by, thread: row.thread };
  const offered = offerOf(runtime, press, presser);
  if (offered.kind !== 'offer') return null;
  return /^@(?:diff|log) /.test(offered.says) ? evidenceOr(parts, row, more) : newProject(parts, row, offered.says);
}

async function evidenceOr(
  { runtime, home, config }: PreparationParts,
  row: InboxRow,
  more: Omit<Circumstances, 'aside'>,
): Promise<Aside> {
  const targets: EvidenceTarget[] = [];
  const found = (target: EvidenceTarget) => void targets.push(target);
  await runtime.submit((now) => {
    planFor(row, now, config(), { ...more, aside: { kind: 'looking', found } });
    return emptyPlan;
  });
  const [target] = targets;
  if (target === undefined) return nothingAside;
  const shown = await gatherEvidence({ reader: runtime.reader, home, config }, target);
  return { kind: 'evidence', of: JSON.stringify(target), shown };
}

function newProject({ home, config, fresh }: PreparationParts, row: InboxRow, says: string): Promise<Aside> | null {
  const wanted = projectOfOffer(says, config(), row.by);
  if (wanted === null) return null;
  const { name } = wanted;
  const owner = wanted.owner === null ? null : nameInConfig(wanted.owner);
  // A retry finds it created.
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
    return emptyPlan;
  });
  if (row.body.type !== 'text' || choices.length === 0) return nothingAside;
  const asked = { text: row.body.text, proposals: choices.map(({ id, label }) => ({ id, label })) };
  const chosen = await askIntent(config(), asked, log);
  const says = chosen.flatMap((id) => choices.find((choice) => choice.id === id)?.says ?? []);
  return says.length === 0 ? nothingAside : { kind: 'chosen', says };
}
