// The longest texts that a project can produce, made by what makes them: every name at its limit, lists of 400.

import { askCard, settledCard } from '../../../../../src/bot/views/cards.js';
import { noticeView } from '../../../../../src/bot/views/notices.js';
import { present } from '../../../../../src/bot/views/presenter.js';
import { replyViews } from '../../../../../src/bot/views/replies.js';
import { view } from '../../../../../src/bot/views/view.js';
import { stallView, workingView } from '../../../../../src/bot/views/working.js';
import type { Interaction, Item, Notice, Reply, State } from '../../../../../src/engine/index.js';
import type { View } from '../../../../../src/store/messages/message-types.js';
import { def, item, loop, Player, workflow } from '../../../../engine/builders.js';

const count = 400;
/** As config.yaml limits names of projects, and as stories and steps are cut. */
const maxNameChars = 41;
const maxKeyChars = 40;
const maxLine = 4_096;

const kinds = ['review', 'question', 'escalation', 'confirm', 'choice', 'permission', 'budget'] as const;

/** `filler`: what everything that people and agents write consists of. */
export function longest(filler: string): readonly (readonly [string, View])[] {
  const made = makers(filler);
  return Object.entries(made).map(([name, make]) => [name, make()] as const);
}

function makers(filler: string): Readonly<Record<string, () => View>> {
  const long = (chars: number) => filler.repeat(Math.ceil(chars / filler.length)).slice(0, chars);
  const state = stateOf(long);
  const names = Array.from({ length: count }, (_, index) => `${index}${long(maxKeyChars)}`);
  const told = (notice: Notice, given = state) => shown(noticeView(notice, given, given.run.startedAt ?? 0)?.view);
  const said = (reply: Reply) => shown(replyViews(reply, state)[0]);
  const ended = (status: 'completed' | 'cancelled'): State => ({
    ...state,
    run: { ...state.run, status, startedAt: 0, endedAt: 1e9, costUsd: 99_999, context: { pr_url: long(maxLine) } },
  });
  return {
    ...Object.fromEntries(
      kinds.flatMap((kind) => [
        [`a ${kind}`, () => askCard(asked(kind, long), state)],
        [`a ${kind} that is settled`, () => settledCard(settled(kind, long), state)],
        [`a ${kind} that is no more`, () => settledCard({ ...asked(kind, long), state: 'superseded' }, state)],
      ]),
    ),
    'a run that is done': () => told({ type: 'ended', note: long(maxLine) }, ended('completed')),
    'a run that is aborted': () => told({ type: 'ended', note: long(maxLine) }, ended('cancelled')),
    'a story that is done': () => told({ type: 'item_done', item: names[0] ?? '', note: long(maxLine) }),
    'a story that failed': () => told({ type: 'item_failed', item: names[0] ?? '' }),
    'a run that waits for a go': () => told({ type: 'waits_for_go', item: names[0] ?? '', step: long(200) }),
    news: () => told({ type: 'told', text: long(maxLine) }),
    progress: () => told({ type: 'progress' }),
    working: () => workingView({ state, lastSign: () => signOf(long), at: 1e12 }).view,
    silence: () =>
      stallView({
        ...{ attempt: long(60), run: 'r999999' },
        about: { project: long(maxNameChars), chain: long(maxKeyChars), work: long(maxLine), step: long(200) },
        ...{ number: 1, kind: 'silent' as const, sign: signOf(long) },
      }),
    'a break': () => {
      const about = { run: 'r12', project: long(maxNameChars), task: long(maxLine), followers: ['t1'], at: 0 };
      return shown(present.broken({ ...about, error: new Error(long(100_000)) })[0]?.view);
    },
    'steps to name': () => said({ type: 'name_a_step', steps: names }),
    'a pause': () => said({ type: 'paused', running: names, done: names, next: long(200) } as Reply),
    'a blocked story': () => said({ type: 'blocked', item: names[0] ?? '', by: names }),
    projects: () =>
      view(
        'answer',
        names.join('\n'),
        names.slice(0, 20).map((name) => ({ label: name, says: `status ${name}` })),
      ),
    'twenty long buttons': () =>
      view(
        'choice',
        long(3_400),
        names.slice(0, 20).map((label) => ({ label, says: 'x' })),
      ),
    'a log': () => view('log', long(100_000)),
    'a file': () => ({ ...view('answer', long(200)), file: { name: long(300), text: long(100_000) } }),
  };
}

type Long = (chars: number) => string;

function stateOf(long: Long): State {
  const flow = workflow([loop('stories', [def('impl')]), ...Array.from({ length: 60 }, (_, n) => def(`step-${n}`))]);
  const player = Player.start(flow, { task: 'x', items: [item('US-1')] });
  const { run, chain, items, ...rest } = player.stateOf('');
  const [first] = items;
  if (!first) throw new Error('there is no story');
  const stories = Array.from({ length: count }, (_, index): Item => {
    const dependsOn = index === 0 ? [] : [`0${long(maxKeyChars)}`];
    return { ...first, key: `${index}${long(maxKeyChars)}`, title: long(300), status: 'done', dependsOn };
  });
  return {
    ...rest,
    items: stories,
    run: { ...run, project: long(maxNameChars), task: long(maxLine), status: 'running', costUsd: 99_999 },
    chain: { ...chain, nodes: chain.nodes.map((node) => ({ ...node, template: long(60) })) },
  };
}

function asked(kind: Interaction['kind'], long: Long): Interaction {
  return {
    id: 'i999999-999',
    kind,
    subject: { type: 'review' } as Interaction['subject'],
    chain: long(maxKeyChars),
    node: null,
    generation: 0,
    text: long(maxLine),
    digests: Array.from({ length: 20 }, (_, n) => ({
      step: `${n}${long(60)}`,
      text: `${n}${long(2_000)}`,
      questions: [`${n}${long(500)}`],
      files: [`${n}${long(500)}`],
    })),
    options: Array.from({ length: 20 }, (_, n) => ({ id: `for-${n}`, label: `${n}${long(200)}`, needsText: false })),
    state: 'open',
    openedAt: 0,
    answer: null,
  };
}

function settled(kind: Interaction['kind'], long: Long): Interaction {
  const answer = { option: 'changes', text: long(maxLine), by: long(maxNameChars), at: 0 };
  return { ...asked(kind, long), state: 'answered', answer };
}

function signOf(long: Long) {
  return {
    ...{ at: 0, line: long(maxLine), action: long(maxLine), text: long(maxLine) },
    ...{ tokensIn: 1e9, tokensOut: 1e9, costUsd: 99_999, silentMs: 1e9 },
  };
}

function shown(given: View | undefined): View {
  if (!given) throw new Error('nothing is shown');
  return given;
}
