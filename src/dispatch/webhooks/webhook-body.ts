// Security: texts are cut and redacted, because the readers are unknown.

import type { Redact } from '../../base/index.js';
import { type Interaction, isCostKnown, type Run } from '../../engine/index.js';
import type { News } from './webhook-events.js';

const maxTaskChars = 2_000;
const maxTextChars = 4_000;
const maxWordChars = 200;
const maxOptions = 30;

export interface WebhookBody extends News {
  readonly id: string;
  readonly at: number;
  readonly redact: Redact;
}

export function bodyOf({ id, type, at, run, interaction, redact }: WebhookBody): string {
  return JSON.stringify({
    id,
    type,
    at: new Date(at).toISOString(),
    project: run.project,
    run: runOf(run, redact),
    ...(interaction === null ? {} : { interaction: interactionOf(interaction, redact) }),
  });
}

function runOf(run: Run, redact: Redact) {
  const { id, workflow, status, task, costUsd } = run;
  return {
    id,
    workflow: cut(workflow, maxWordChars),
    status,
    task: cut(redact(task), maxTaskChars),
    cost_usd: costUsd,
    cost_known: isCostKnown(run),
  };
}

function interactionOf({ id, kind, text, options, state, answer }: Interaction, redact: Redact) {
  const offered = options.slice(0, maxOptions).map((one) => ({
    id: cut(one.id, maxWordChars),
    label: cut(redact(one.label), maxWordChars),
  }));
  const given = answer && {
    option: cut(answer.option, maxWordChars),
    text: answer.text === null ? null : cut(redact(answer.text), maxTextChars),
    by: cut(answer.by, maxWordChars),
  };
  const shown = { id, kind, text: cut(redact(text), maxTextChars), options: offered, state };
  return given === null ? shown : { ...shown, answer: given };
}

function cut(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1)}…`;
}
