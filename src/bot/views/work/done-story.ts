import type { Interaction, Item, ItemFacts, State } from '../../../engine/index.js';
import { diffLine, notChecked } from '../facts.js';
import { costNote, lines, span, testsInWords } from '../view.js';
import { titleOf } from './card-text.js';
import { countedItems } from './ended.js';

export function doneText(key: string, state: State): string {
  const { run, items } = state;
  const item = items.find((one) => one.key === key);
  const doneCount = items.filter((one) => one.status === 'done').length;
  return lines(
    `✅ ${key} done · ${titleOf(item?.title ?? '')}`,
    [
      `${run.project} · ${doneCount} of ${countedItems(state)} done`,
      item?.facts && item.facts.workedMs > 0 && `worked ${span(item.facts.workedMs)}`,
      item?.facts && costNote(item.facts),
    ]
      .filter(Boolean)
      .join(' · '),
    item?.facts && whereAndTests(item, item.facts, state),
  );
}

function whereAndTests({ unchanged, key }: Item, { note, diff, tests }: ItemFacts, state: State): string {
  const said = typeof tests === 'string' ? (tests === 'ok' ? 'tests pass' : 'tests fail') : testsInWords(tests);
  const isNone = unchanged === true && note === 'nothing to commit';
  const where = [isNone ? '' : note, note?.includes(' file') ? '' : diffLine(diff), unchanged === true && 'no change'];
  // The run's own chain tells nothing of a story's steps.
  const { workflow, chain } = state;
  const untold = notChecked({ workflow, chain: chain.key === key ? chain : { ...chain, nodes: [] } });
  return [...where, said || untold].filter(Boolean).join(' · ');
}

/** Null: the card only asks. */
export function doneBefore({ subject }: Interaction): string | null {
  return subject.type === 'next_item' ? (subject.after ?? null) : null;
}

export function isLastOfRun(key: string, { items, workflow }: State): boolean {
  const item = items.find((one) => one.key === key);
  const isOver = ({ status }: Item) => status === 'done' || status === 'cancelled';
  return items.every(isOver) && workflow.chain.at(-1)?.id === item?.template;
}
