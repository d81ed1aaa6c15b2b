// Asks for a review of finished work, or about a gate that gave up.

import { nodesBefore } from '../chain/chain.js';
import { ask, option, waysOut } from '../interactions/interaction.js';
import { liveBeside } from '../model/draft/checkout-use.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import type { HumanNote, Node, RecordedAnswer } from '../model/model.js';
import { asksPerson, judgesFiles } from '../workflow/node-kinds.js';
import { foundBy, wayOn } from './gate-facts.js';
import { plannedLines } from './loops/story-list.js';

export function askPerson(tx: DecisionDraft, node: Node, votes?: readonly RecordedAnswer[]): void {
  const def = tx.def(node);
  if (asksPerson(def) && def.onAnswer !== null) askAboutGate(tx, node, votes);
  else askForReview(tx, node, votes);
}

function askAboutGate(tx: DecisionDraft, node: Node, votes?: readonly RecordedAnswer[]): void {
  const gate = node.params['gate'] ?? gateBefore(tx, node) ?? node.template;
  const again = wayOn(tx.def(node), 'continue') !== null;
  ask(tx, {
    kind: 'escalation',
    subject: { type: 'gate_stuck' },
    node,
    text: [`${gate}: ${node.title}`, ...foundBy(tx, gate)].join('\n'),
    options: again
      ? [option('continue', 'Continue: check again'), ...waysOfGate]
      : waysOfGate.filter((one) => one.id !== 'retry'),
    digests: tx.chain.digests,
    ...(votes === undefined ? {} : { votes }),
  });
}

/** No agent would read the note. */
const waysOfGate = waysOut.filter((one) => one.id !== 'retry_note');

/** If none is named: the nearest one before. */
function gateBefore(tx: DecisionDraft, node: Node): string | null {
  return nodesBefore(tx.chain, node).findLast((one) => judgesFiles(tx.def(one)))?.template ?? null;
}

export function askForReview(tx: DecisionDraft, node: Node, votes?: readonly RecordedAnswer[]): void {
  ask(tx, {
    kind: 'review',
    subject: { type: 'review' },
    node,
    text: [tx.item ? `${tx.item.key} ${tx.item.title}` : tx.run.task, ...plannedLines(tx), ...changedScripts(tx)].join(
      '\n',
    ),
    options: [option('approve', 'Approve'), option('changes', 'Request changes', true), option('reject', 'Reject')],
    digests: tx.chain.digests,
    ...(votes === undefined ? {} : { votes }),
  });
}

/** A check proves less if the work changed what it runs. */
function changedScripts({ chain }: DecisionDraft): readonly string[] {
  const said = chain.nodes.flatMap((one) => one.last?.warnings ?? []);
  const found = said.flatMap((one) => /^the check (.+ ran a changed script: .+)$/s.exec(one)?.[1] ?? []);
  return [...new Set(found)].slice(0, 5).map((one) => `Look closely: the check ${one}`);
}

export function addNote(
  tx: DecisionDraft,
  kind: HumanNote['kind'],
  said: { readonly text: string | null; readonly by: string },
  about: { readonly question?: string; readonly node?: Node } = {},
): void {
  const text = said.text?.trim();
  if (!text) return;
  // Otherwise a neighbour that is retried first would take the note.
  const to = about.node && liveBeside(tx).length > 0 ? { node: about.node.id } : {};
  const note: HumanNote = { kind, question: about.question ?? null, text, by: said.by, ...to };
  tx.setChain({ notes: [...tx.chain.notes, note] });
}
