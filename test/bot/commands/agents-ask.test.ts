// What words in reply to the card of an agent mean. What is not certain means nothing.
import { expect, it } from 'vitest';
import { givenBy } from '../../../src/bot/commands/answer.js';
import { understand } from '../../../src/bot/grammar/index.js';
import type { Interaction, Subject } from '../../../src/engine/index.js';

type Kind = 'question' | 'permission';

const permission = { tool: 'Bash', what: 'npm publish', mark: '0123456789ab' };
const asks: Subject = { type: 'agent_permission', attempt: 'a', key: 'k', permission };
const denied: Subject = { type: 'denied', permissions: [permission] };
const question: Subject = { type: 'agent_question', attempt: 'a', key: 'k', isLate: false };

function card(kind: Kind, subject: Subject, options: Readonly<Record<string, string>>): Interaction {
  return {
    ...{ id: 'i1-1', kind, subject, chain: '', node: 'n1', generation: 1, text: 'Which?', digests: [] },
    options: Object.entries(options).map(([id, label]) => ({ id, label, needsText: id === 'answer' })),
    ...{ state: 'open', openedAt: 1, answer: null },
  };
}

const asked = card('permission', asks, { once: 'Allow once', run: 'Allow for this run', deny: 'Deny' });
const left = card('permission', denied, {
  run: 'Allow for this run',
  deny: 'Go on without',
  skip: 'Skip',
  abort: 'Abort',
});
const which = card('question', question, {
  'pick-1': 'JWT',
  'pick-2': 'a cookie',
  answer: 'Another answer',
  abort: 'Abort',
});

it.each<readonly [string, Interaction, string | null, string | null]>([
  ['yes', asked, 'once', null],
  ['ok, but only this time', asked, 'once', 'but only this time'],
  ['allow once', asked, 'once', null],
  ['Allow for this run', asked, 'run', null],
  ['no', asked, 'deny', null],
  ['deny', asked, 'deny', null],
  ['no, use npm pack', asked, 'deny', 'use npm pack'],
  ['what does it do?', asked, null, null],
  ['maybe', asked, null, null],
  ['yes, or rather not', asked, null, null],
  ['yes', left, null, null],
  ['allow for this run', left, 'run', null],
  ['no', left, 'deny', null],
  ['jwt', which, 'pick-1', null],
  ['A cookie', which, 'pick-2', null],
  ['a cookie, but signed', which, 'answer', 'a cookie, but signed'],
  ['yes', which, 'answer', 'yes'],
])('the reply "%s" to the card of an agent selects the expected option or none', (said, interaction, option, text) => {
  const parsed = understand(said, [], interaction.kind as Kind);
  const given = givenBy(interaction, parsed, said);
  expect(given).toEqual(option === null ? null : { option, text });
});
