// A sentence per event of a run's history.
import { nameInConfig } from '../../../config/index.js';
import { outcomeNamed } from '../../../dispatch/index.js';
import type { Envelope, Event, InteractionKind } from '../../../engine/index.js';
import type { HomeReader } from '../../../store/index.js';
import { money, oneLine, personName, span } from '../view.js';

type Reader = Pick<HomeReader, 'attempt' | 'interaction' | 'browsing'>;

export function eventWords(reader: Reader, event: Event): string {
  const chain = event.chain === '' ? '' : oneLine(event.chain, 40);
  return [chain, wordsOf(reader, event)].filter((part) => part !== '').join(' · ');
}

function wordsOf(reader: Reader, event: Event): string {
  const by = 'by' in event ? oneLine(personName(nameInConfig(event.by)), 40) : '';
  const step = (node: string) => oneLine(reader.browsing.nodeName(event.run, node) ?? node, 40);
  switch (event.type) {
    case 'run_created':
      return `${by} asked for “${oneLine(event.task, 120)}”`;
    case 'start':
      return `${by} started it`;
    case 'continue':
      return `${by} continued${event.node === null ? '' : ` with ${step(event.node)}`}${quoted(event.instruction)}`;
    case 'retry':
      return `${by} had ${step(event.node)} tried again${quoted(event.note)}`;
    case 'skip':
      return `${by} skipped ${step(event.node)}${quoted(event.reason)}`;
    case 'skip_item':
      return `${by} skipped ${oneLine(event.item, 40)}${quoted(event.reason)}`;
    case 'rollback':
      return `${by} rolled back to before ${step(event.node)}`;
    case 'pause':
      return `${by} stopped it`;
    case 'kill':
      return `${by} killed what ran`;
    case 'abort':
      return `${by} asked to abort it`;
    case 'dequeue':
      return `${by} took it out of the queue`;
    case 'left_taken':
      return `${event.into} took over what it had left`;
    case 'folder_freed':
      return 'The folder is free for the merge of its branch';
    case 'land':
      return `${by} said to merge its branch`;
    case 'edit_task':
      return `${by} changed the task to “${oneLine(event.task, 120)}”`;
    case 'requeue':
      return `${by} moved it in the queue`;
    case 'budget':
      return `${by} ${event.addUsd < 0 ? 'lowered' : 'raised'} the budget by ${money(Math.abs(event.addUsd))}`;
    case 'answered':
      return `${by} answered ${answeredOf(reader, event)}${quoted(event.text)}`;
    case 'reported':
      return `${by} reported a step done by hand`;
    case 'session_opened':
      return `${by} opened the session of ${step(event.node)} in a terminal`;
    case 'session_closed':
      return event.isLost
        ? 'The terminal with the session was gone'
        : 'The session in the terminal ended without a report';
    case 'attempt_started':
      return `${attemptOf(reader, event.attempt)} began`;
    case 'attempt_settled':
      return `${attemptOf(reader, event.attempt)} ${endOf(reader, event.attempt)}${decisionOf(event.envelope)}`;
    case 'agent_asked':
      return `${attemptOf(reader, event.attempt)} asked “${oneLine(event.ask.text, 120)}”`;
    case 'ask_expired':
      return `${attemptOf(reader, event.attempt)} got no answer in time`;
    case 'words_said':
      return `${by} said to ${attemptOf(reader, event.attempt)}${quoted(event.text)}`;
    case 'words_heard':
      return `${attemptOf(reader, event.attempt)} ${event.isHeard ? 'heard it' : 'had ended before it heard it'}`;
    case 'snooze':
      return `${by} put ${askedOf(reader, event.interaction)} off for ${span(event.until - event.at)}`;
    case 'wake':
      return `${by} took up ${askedOf(reader, event.interaction)} again`;
    case 'nudge':
      return `${by} reminded people of ${askedOf(reader, event.interaction)}`;
    case 'hand':
      return `${by} handed ${askedOf(reader, event.interaction)} to ${oneLine(personName(event.to), 40)}`;
    case 'snooze_ended':
      return 'An open question was no longer put off';
    case 'remind':
      return 'People were reminded of an open question';
    case 'escalate':
      return 'An open question was escalated';
    case 'limits_read':
      return 'Budget limits were read again';
    case 'paid_late':
      return `The cost of ${attemptOf(reader, event.attempt)} came late`;
    case 'workspace_done':
      return event.result.ok
        ? `Git work in the folder is done${event.result.note === null ? '' : `: ${oneLine(event.result.note, 120)}`}`
        : 'Git work in the folder failed';
    case 'item_opened':
      return 'The story began';
    case 'item_closed':
      return `${oneLine(event.item, 40)} ended`;
    case 'item_reopened':
      return `${oneLine(event.item, 40)} was opened again`;
    case 'chain_resumed':
      return 'The work went on';
    case 'chain_cancelled':
      return `The work was given up: ${oneLine(event.reason, 80)}`;
    case 'next_named':
      return `The next story was named: ${oneLine(event.item.key, 40)}`;
  }
}

function quoted(words: string | null): string {
  return words === null || words.trim() === '' ? '' : `: “${oneLine(words, 120)}”`;
}

function askedOf(reader: Reader, interaction: string): string {
  const asked = reader.interaction(interaction)?.interaction;
  if (asked?.subject.type === 'proposal') return 'the proposal';
  return asked === undefined ? 'a question' : cardNames[asked.kind];
}

const cardNames: Readonly<Record<InteractionKind, string>> = {
  review: 'the review',
  question: 'the question',
  escalation: 'the card about what was stuck',
  confirm: 'the request to confirm',
  choice: 'the choice',
  permission: 'the permission request',
  budget: 'the question about money',
};

function answeredOf(reader: Reader, { interaction, option }: Extract<Event, { type: 'answered' }>): string {
  const asked = reader.interaction(interaction)?.interaction;
  const label = asked?.options.find(({ id }) => id === option)?.label ?? option;
  return `${askedOf(reader, interaction)} with ${oneLine(label, 60)}`;
}

function endOf(reader: Reader, id: string): string {
  const outcome = reader.attempt(id)?.attempt.outcome ?? null;
  return outcome === null ? 'ended' : outcomeNamed(outcome).word;
}

function decisionOf({ output }: Envelope): string {
  const decision = output.keys['DECISION'];
  return decision === undefined ? '' : `, decided ${oneLine(decision, 60)}`;
}

function attemptOf(reader: Reader, id: string): string {
  const row = reader.attempt(id);
  if (row === null) return 'An attempt';
  return `${oneLine(reader.browsing.nodeName(row.run, row.node) ?? row.node, 40)}, attempt ${row.attempt.number}`;
}
