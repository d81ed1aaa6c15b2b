// What the random runs came by: a generator that never reaches a place says nothing about it.
import type { Notice, RecordAction, Subject, WorkspaceOp } from '../../src/engine/index.js';
import type { Player } from './builders.js';

const subjects: readonly Subject['type'][] = [
  'proposal',
  'review',
  'question',
  'stuck',
  'next_item',
  'abort',
  'dirty',
  'leftovers',
  'land',
  'workspace',
  'rollback_target',
  'reject_reason',
  'give_up',
  'skip_approval',
  'fuse',
  'items_failed',
  'gate',
  'gate_stuck',
  'position',
  'input',
  'agent_question',
  'agent_permission',
  'denied',
];
const kinds: readonly WorkspaceOp['kind'][] = [
  'prepare',
  'deliver',
  'rollback',
  'open',
  'merge',
  'drop',
  'read',
  'restore',
  'publish',
  'leave',
  'find_left',
  'clear_left',
  'land',
];
const actions: readonly RecordAction[] = [
  'story_claimed',
  'story_completed',
  'story_failed',
  'story_blocked',
  'story_unblocked',
  'story_merged',
  'step_started',
  'step_completed',
  'step_failed',
  'step_cancelled',
  'step_skipped',
  'step_restarted',
  'workflow_edit',
  'routed',
  'inserted',
  'decision',
];
const verdicts = ['pass', 'fix', 'escalate'] as const;
const notices = ['voted', 'reminded', 'escalated'] as const;
const sights = [
  'wave',
  'stories side by side',
  'edits refused',
  'conflict mended',
  'team',
  'stories done again',
  'stories planned again',
] as const;

/** How often each was come by; what never was stands at nought. */
export class Visits {
  readonly #counts = new Map<string, number>(
    [
      ...subjects.map((type) => `asked ${type}`),
      ...kinds.map((kind) => `work ${kind}`),
      ...actions.map((action) => `record ${action}`),
      ...verdicts.map((verdict) => `verdict ${verdict}`),
      ...notices.map((type) => `told ${type}`),
      ...sights,
    ].map((what) => [what, 0]),
  );

  get missed(): readonly string[] {
    return [...this.#counts].flatMap(([what, count]) => (count === 0 ? [what] : []));
  }

  note(player: Player, from: number): void {
    for (const effect of player.effects) {
      if (effect.type === 'workspace') this.#count(`work ${effect.op.kind}`);
      if (effect.type === 'record') this.#noteRecord(effect.record.action, effect.record.details);
      if (effect.type === 'notice') this.#noteNotice(effect.notice);
    }
    const { live } = player.run;
    const chains = new Set(live.map((one) => one.chain));
    if (chains.size < live.length) this.#count('wave');
    if (chains.size > 1) this.#count('stories side by side');
    this.#noteAttempt(player, from);
  }

  #noteNotice(notice: Notice): void {
    if (notice.type === 'told' && / is walked again: /.test(notice.text)) this.#count('stories done again');
    if (notice.type === 'told' && /^The stories were planned again/.test(notice.text))
      this.#count('stories planned again');
    if (notice.type === 'asked') this.#count(`asked ${notice.interaction.subject.type}`);
    if (notices.some((type) => type === notice.type)) this.#count(`told ${notice.type}`);
  }

  #noteRecord(action: RecordAction, details: Readonly<{ [key: string]: unknown }>): void {
    this.#count(`record ${action}`);
    if (action === 'decision') this.#count(`verdict ${details['outcome']}`);
    if (action === 'inserted' && details['fragment'] === 'mend_conflict') this.#count('conflict mended');
  }

  #noteAttempt(player: Player, from: number): void {
    const event = player.events[from];
    if (event?.type !== 'attempt_settled' || player.ignored !== null) return;
    const node = player.nodes(event.chain).find((one) => one.last?.id === event.attempt);
    if (node?.last?.warnings.some((one) => one.includes('edits were rejected'))) this.#count('edits refused');
    if (node?.last && node.last.team.length > 0) this.#count('team');
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }
}
