import type { Envelope, Event } from '../../engine/index.js';
import type { StoredRecord } from '../../store/index.js';
import { clean, money } from './view.js';

export function recordLine({ chain, record }: StoredRecord): string {
  const { action, step, details } = record;
  const where = [chain, step && `${step.label} ${step.template}`].filter((one) => one).join(' ');
  const decided =
    action === 'decision' ? ` ◆ Decision: ${wordOf(details['decision'])} → ${wordOf(details['outcome'])}` : '';
  const facts = Object.entries(details).flatMap(([key, value]) => (value === null ? [] : [`${key} ${wordOf(value)}`]));
  return clean(`${where} ${action}${facts.length > 0 ? `: ${facts.join(', ')}` : ''}${decided}`.trim())
    .replaceAll('\n', ' ')
    .slice(0, 600);
}

function wordOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordOf).join(', ');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.values(value)
    .filter((one) => one !== null)
    .map(wordOf)
    .join(' ');
}

function stepOf(attempt: string): string {
  const found = /(step-\d+)-g(\d+)-d(\d+)$/.exec(attempt);
  return found ? `${found[1]}, dispatch ${found[3]}` : attempt;
}

function settledAs({ killed, fault, exit, result, handoff, output, checks, costUsd }: Envelope): string {
  const status = result?.status ?? handoff?.front?.status ?? output.keys['STATUS'];
  const decision = output.keys['DECISION'];
  const red = checks.filter((check) => !check.ok).map((check) => `${check.name} red`);
  const cost = costUsd !== null && costUsd > 0 && money(costUsd);
  const said = [status && `says ${status}`, decision && `decides ${decision}`, ...red, cost].filter((one) => one);
  return [killed ?? fault?.code ?? `exit ${exit ?? '-'}`, ...said].join(', ');
}

function wordsDetail(event: Extract<Event, { type: 'words_said' | 'words_heard' }>): string {
  const step = stepOf(event.attempt);
  if (event.type === 'words_heard') return `: ${step} ${event.isHeard ? 'in its turn' : 'not: its turn was over'}`;
  return `: ${event.isSent ? 'to' : 'for the prompt after'} ${step} "${event.text}"`;
}

export function eventLine(event: Event): string {
  const by = 'by' in event ? ` by ${event.by}` : '';
  const chain = event.chain === '' ? '' : `${event.chain} `;
  return clean(`${chain}${event.type}${by}${detail(event)}`)
    .replaceAll('\n', ' ')
    .slice(0, 300);
}

function detail(event: Event): string {
  switch (event.type) {
    case 'run_created':
    case 'edit_task':
      return `: ${event.task}`;
    case 'attempt_started':
      return `: ${stepOf(event.attempt)} on ${event.worker}`;
    case 'attempt_settled':
      return `: ${stepOf(event.attempt)} ${settledAs(event.envelope)}`;
    case 'agent_asked':
      return `: ${stepOf(event.attempt)} "${event.ask.text}"`;
    case 'ask_expired':
      return `: ${stepOf(event.attempt)}`;
    case 'words_said':
    case 'words_heard':
      return wordsDetail(event);
    case 'session_opened':
      return `: ${event.node}`;
    case 'session_closed':
      return event.isLost ? ': its terminal is gone' : '';
    case 'kill':
      return event.attempt === undefined ? '' : `: ${stepOf(event.attempt)}, to try it again`;
    case 'budget':
      return `: ${event.addUsd < 0 ? '-' : '+'}${money(Math.abs(event.addUsd))}`;
    case 'limits_read':
      return event.runUsd === null ? '' : `: ${money(event.runUsd)} for the run`;
    case 'paid_late':
      return `: ${stepOf(event.attempt)}${event.costUsd === null ? '' : ` ${money(event.costUsd)}`}`;
    case 'snooze':
      return `: ${event.interaction} until ${new Date(event.until).toISOString()}`;
    case 'hand':
      return `: ${event.interaction} to ${event.to}`;
    case 'wake':
    case 'nudge':
    case 'snooze_ended':
    case 'remind':
    case 'escalate':
      return `: ${event.interaction}`;
    case 'answered':
      return `: ${event.interaction} ${event.option}${event.text ? ` "${event.text}"` : ''}`;
    case 'retry':
      return `: ${event.node}${event.note ? ` "${event.note}"` : ''}`;
    case 'skip':
      return `: ${event.node}${event.reason === null ? '' : ` "${event.reason}"`}`;
    case 'rollback':
      return `: to ${event.node}`;
    case 'workspace_done':
      return `: ${event.op} ${event.result.ok ? 'ok' : event.result.message}`;
    case 'item_closed':
    case 'item_reopened':
    case 'skip_item':
      return `: ${event.item}`;
    case 'next_named':
      return `: ${event.item.key} ${event.item.title}`;
    default:
      return '';
  }
}
