// A session in a person's terminal; the message is edited when it ends.
import type { Interaction, Notice, State } from '../../../engine/index.js';
import { personName } from '../view.js';
import { stepTitle } from './ask-words.js';

export function sessionText(
  { step, by, state: said }: Extract<Notice, { type: 'session' }>,
  { run, chain, workflow }: State,
): string {
  const name = stepTitle(step, workflow);
  const what = chain.key === '' ? name : `${chain.key} ${name}`;
  const person = personName(by);
  const text = {
    open: `${person} opened the session of ${what} in a terminal. Nothing new starts until it ends.`,
    reported: `${person} ended the session of ${what} with a report.`,
    closed: `${person} ended the session of ${what} without a report. The work continues where it stood.`,
    lost: `The terminal with the session of ${what} is gone. The work continues where it stood.`,
  }[said];
  return `${run.project}: ${text}`;
}

/** Null: no session that a terminal can open. */
export function openHint(
  { subject, node: id }: Interaction,
  { run, chain }: State,
  opensSession: (session: string) => boolean,
): string | null {
  const isOfStep = subject.type === 'stuck' || subject.type === 'question' || subject.type === 'denied';
  const node = chain.nodes.find((one) => one.id === id);
  const session = node?.last?.session ?? null;
  if (!isOfStep || node === undefined || session === null || !opensSession(session)) return null;
  return `On Bosun's computer: bosun open ${run.id} ${chain.key === '' ? '' : `${chain.key}/`}${node.template}`;
}
