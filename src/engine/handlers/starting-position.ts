// A run begins where the project's files say, so that finished work is not repeated.

import { positionOf, skipIfOpen } from '../chain/chain.js';
import { advance } from '../flow/advance.js';
import { ask, option } from '../interactions/interaction.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import type { Survey } from '../survey/survey.js';
import { surveyFactsFor } from '../survey/survey-facts.js';
import { coded } from '../text/result-codes.js';
import { type Facts, holds } from '../workflow/index.js';
import { bodyOf } from '../workflow/node-kinds.js';

/** Takes the first matching rule; without one it asks a person. */
export function takePosition(tx: DecisionDraft, survey: Survey): void {
  const facts = { ...tx.run.context, ...surveyFactsFor(tx.run, survey) };
  const rule = tx.workflow.positions.find((one) => holds(one.when, facts));
  keepFacts(tx, facts);
  if (rule) beginAt(tx, rule.name);
  else askWhere(tx, survey, facts);
}

export function beginAt(tx: DecisionDraft, name: string): void {
  const rule = tx.workflow.positions.find((one) => one.name === name);
  if (!rule) throw new Error(`no position ${name} in ${tx.workflow.name}`);
  tx.setRun({ position: rule.name, begin: rule.begin });
  const own = positionOf(tx.chain, rule.begin);
  const outer = tx.workflow.chain.find((def) => bodyOf(def).some((inner) => inner.id === rule.begin));
  const until = own >= 0 ? own : positionOf(tx.chain, String(outer?.id));
  for (const node of tx.chain.nodes.slice(0, until)) skipIfOpen(tx, node, { type: 'inferred' });
  if (own >= 0) tx.setRun({ begin: null });
  tx.notice({ type: 'told', text: `it stands at ${rule.name}; it begins with ${rule.begin}.` });
  advance(tx);
}

/** Later surveys keep the run's first milestone. */
function keepFacts(tx: DecisionDraft, facts: Facts): void {
  const { milestone } = facts;
  if (typeof milestone === 'string') tx.setRun({ context: { ...tx.run.context, milestone } });
}

const maxShownChars = 1_500;

function askWhere(tx: DecisionDraft, survey: Survey, facts: Facts): void {
  // With its own code and the file's text.
  const raw = survey.state?.raw.slice(0, maxShownChars) ?? '';
  const why = typeof facts['problem'] === 'string' ? facts['problem'] : coded('E002', `no rule holds\n${raw}`);
  const begun = tx.workflow.positions.map(({ name }) => option(`at-${name}`, name));
  ask(tx, {
    kind: 'choice',
    subject: { type: 'position' },
    node: null,
    text: `Where ${tx.run.project} stands cannot be told.
${why}`,
    options: [...begun, option('abort', 'Abort')],
  });
}
