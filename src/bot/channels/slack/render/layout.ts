import type { View } from '../../../../store/index.js';
import {
  askingKinds,
  headedKinds,
  inert,
  inertRuns,
  isVisible,
  mentioned,
  partsOf,
  runsWithMarkdown,
  type TextRun,
  textOf,
  timed,
  waitsFor,
} from '../../../render/index.js';
import { isFactsLine } from '../../../views/facts.js';
import { hasDecidingButton } from '../../../views/view.js';
import {
  addressedLine,
  type Block,
  code,
  fields,
  header,
  maxHeaderUnits,
  maxSectionUnits,
  section,
  smallPrint,
  styled,
  titled,
} from './blocks.js';

const maxBodyBlocks = 30;
/** A longer line is no heading. */
const maxTitleUnits = 200;
const maxSmallUnits = 1_000;

export function layoutOf(view: View, text: string): Block[] {
  const { heading, line, rest } = namesApart(view, headed(view, text));
  const { body, small } = apart(view, rest);
  return [...heading, ...line, ...bodyOf(body, view), ...(small === '' ? [] : [smallPrint(small, view.times)])];
}

/** For messages that ring and open questions. A long heading repeats in the body. */
function headed(view: View, text: string): { readonly heading: Block[]; readonly rest: string } {
  const { kind, rings } = view;
  const [first = '', ...others] = text.split('\n');
  const rest = others.join('\n');
  const isHeadable = isVisible(first) && !first.startsWith('```');
  const standsOut = rings || (askingKinds.has(kind) && hasDecidingButton(view));
  if (isHeadable && standsOut)
    return { heading: [header(first)], rest: inert(first).length > maxHeaderUnits ? text : rest };
  const isTitle = isHeadable && headedKinds.has(kind) && isVisible(rest) && first.length <= maxTitleUnits;
  return isTitle ? { heading: [titled(first, '')], rest } : { heading: [], rest: text };
}

/** The line that names people stands alone: only rich text can mention them. */
function namesApart({ mentions = [] }: View, { heading, rest }: ReturnType<typeof headed>) {
  const [first = '', ...others] = rest.split('\n');
  if (mentions.length === 0 || heading.length === 0 || !first.includes(waitsFor)) return { heading, line: [], rest };
  const title = { text: '\n', look: 'plain', language: null } as const;
  const runs = mentioned([title, { ...title, text: first }], mentions).slice(1);
  return { heading, line: [addressedLine(runs.filter(({ text }) => text !== ''))], rest: others.join('\n') };
}

interface Apart {
  readonly body: string;
  readonly small: string;
}

function apart(view: View, rest: string): Apart {
  if (view.kind === 'progress') return factsApart(rest);
  if (!askingKinds.has(view.kind)) return { body: rest, small: '' };
  const asked = codeApart(rest);
  const isOutcome = asked.small === '' && isSettled(view) && rest.length <= maxSmallUnits && !rest.includes('```');
  return isOutcome && isVisible(rest) ? { body: '', small: rest } : asked;
}

function isSettled(view: View): boolean {
  return !hasDecidingButton(view) && !view.rings;
}

const codeLine = /^Code:? [\w-]{1,40}$/;

function codeApart(text: string): Apart {
  const lines = text.split('\n');
  const last = lines.at(-1) ?? '';
  return codeLine.test(last) ? { body: lines.slice(0, -1).join('\n'), small: last } : { body: text, small: '' };
}

const fact = /^(?:(?:story|phase) \d+ of \d+(?:, step \d+ of \d+)?|step \d+ of \d+|\$\d+\.\d\d)$/;

function factsApart(text: string): Apart {
  const lines = text.split('\n');
  const facts = lines.flatMap((line, index) => (fact.test(line) ? [index] : [])).slice(-2);
  return {
    body: lines.filter((_, index) => !facts.includes(index)).join('\n'),
    small: facts.map((index) => lines[index]).join(' · '),
  };
}

/** Bosun's own numbers stand in columns. */
function bodyOf(body: string, view: View): Block[] {
  const lines = body.split('\n');
  const at = lines.findIndex((line) => isFactsLine(line) || line.startsWith('```'));
  const numbers = lines[at] ?? '';
  if (!isFactsLine(numbers)) return wordsOf(body, view);
  const before = lines.slice(0, at).join('\n');
  const after = lines.slice(at + 1).join('\n');
  return [...wordsOf(before, view), fields(numbers.split(' · ')), ...wordsOf(after, view)];
}

function wordsOf(body: string, { markdown, times }: View): Block[] {
  const blocks = blocksOf(timed(runsWithMarkdown(body, false, markdown), times));
  return blocks.length <= maxBodyBlocks ? blocks : blocksOf([{ text: body, look: 'plain', language: null }]);
}

function blocksOf(runs: readonly TextRun[]): Block[] {
  return partsOf(inertRuns(runs), maxSectionUnits).flatMap((part) =>
    grouped(part).flatMap((group) => {
      const [only] = group;
      if (only?.look === 'code') return isVisible(only.text) ? [code(only.text)] : [];
      const shown = withoutGaps(group);
      if (shown.length === 0) return [];
      return [
        shown.every(({ look, time }) => look === 'plain' && time === undefined)
          ? section(textOf(shown))
          : styled(shown),
      ];
    }),
  );
}

/** Code stands alone; other runs share a block. */
function grouped(part: readonly TextRun[]): readonly (readonly TextRun[])[] {
  const groups: TextRun[][] = [];
  for (const run of part) {
    const last = groups.at(-1);
    if (last === undefined || run.look === 'code' || last[0]?.look === 'code') groups.push([run]);
    else last.push(run);
  }
  return groups;
}

function withoutGaps(group: readonly TextRun[]): readonly TextRun[] {
  const first = group.findIndex(({ text }) => isVisible(text));
  const last = group.findLastIndex(({ text }) => isVisible(text));
  return group.slice(first < 0 ? group.length : first, last + 1).map((run, index, all) => {
    const begun = index === 0 ? run.text.replace(/^(?:[^\S\n]*\n)+/, '') : run.text;
    return { ...run, text: index === all.length - 1 ? begun.replace(/\s+$/, '') : begun };
  });
}
