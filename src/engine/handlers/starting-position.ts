// Where a run begins, told from the project's own files: what was done before is not done again.

import { positionOf, skipIfOpen } from '../chain/chain.js';
import { advance } from '../flow/advance.js';
import { ask, option } from '../interactions/interaction.js';
import type { DecisionDraft } from '../model/draft.js';
import type { Survey } from '../survey/survey.js';
import { surveyFacts } from '../survey/survey-facts.js';
import { coded } from '../text/result-codes.js';
import { type Facts, holds } from '../workflow/index.js';

/** The first rule that holds names the step to begin with; where none does, a person is asked. */
export function takePosition(step: DecisionDraft, survey: Survey): void {
  const facts = factsAtStart(step, survey);
  const rule = step.workflow.positions.find((one) => holds(one.when, facts));
  keepFacts(step, facts);
  if (rule) beginAt(step, rule.name);
  else askWhere(step, survey, facts);
}

export function beginAt(step: DecisionDraft, name: string): void {
  const rule = step.workflow.positions.find((one) => one.name === name);
  if (!rule) throw new Error(`no position ${name} in ${step.workflow.name}`);
  step.setRun({ position: rule.name, begin: rule.begin });
  const own = positionOf(step.chain, rule.begin);
  const outer = step.workflow.chain.find((def) => def.body.some((inner) => inner.id === rule.begin));
  const until = own >= 0 ? own : positionOf(step.chain, String(outer?.id));
  for (const node of step.chain.nodes.slice(0, until)) skipIfOpen(step, node, { type: 'inferred' });
  if (own >= 0) step.setRun({ begin: null });
  step.notice({ type: 'told', text: `it stands at ${rule.name}; it begins with ${rule.begin}.` });
  advance(step);
}

function factsAtStart({ run }: DecisionDraft, survey: Survey): Facts {
  const { phase = null, milestone = null } = run.context;
  return {
    ...run.context,
    ...surveyFacts(survey, { task: run.task, phase: phase || null, milestone: milestone || null }),
  };
}

/** Later reads of the files hold on to the milestone that the run began with. */
function keepFacts(step: DecisionDraft, facts: Facts): void {
  const { milestone } = facts;
  if (typeof milestone === 'string') step.setRun({ context: { ...step.run.context, milestone } });
}

const maxShownChars = 1_500;

function askWhere(step: DecisionDraft, survey: Survey, facts: Facts): void {
  // A problem has its own code, and shows the file.
  const raw = survey.state?.raw.slice(0, maxShownChars) ?? '';
  const why = typeof facts['problem'] === 'string' ? facts['problem'] : coded('E002', `no rule holds\n${raw}`);
  const begun = step.workflow.positions.map(({ name }) => option(`at-${name}`, name));
  ask(step, {
    kind: 'choice',
    subject: { type: 'position' },
    node: null,
    text: `Where ${step.run.project} stands cannot be told.
${why}`,
    options: [...begun, option('abort', 'Abort')],
  });
}
