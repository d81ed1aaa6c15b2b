// A view's text as blocks: a heading, prose, code, and in small letters what came of it or what is beside the point.
import type { View } from '../../../../store/index.js';
import {
  askingKinds,
  headedKinds,
  inert,
  inertRuns,
  isVisible,
  partsOf,
  runsOf,
  type TextRun,
} from '../../../render/index.js';
import { type Block, code, context, header, maxHeaderUnits, maxSectionUnits, section, titled } from './blocks.js';

/** More are no picture any more; the platform takes 50, with the buttons. */
const maxBodyBlocks = 30;
/** A longer line is no heading, whoever wrote it. */
const maxTitleUnits = 200;
const maxSmallUnits = 1_000;

export function layoutOf(view: View, text: string): Block[] {
  const { heading, rest } = headed(view, text);
  const { body, small } = apart(view, rest);
  return [...heading, ...bodyOf(body), ...(small === '' ? [] : [context(small)])];
}

/**
 * What rings stands out, and what asks as long as it does; a heading that is too long for that is there once more as
 * text.
 */
function headed({ kind, rings, buttons }: View, text: string): { readonly heading: Block[]; readonly rest: string } {
  const [first = '', ...others] = text.split('\n');
  const rest = others.join('\n');
  const isHeadable = isVisible(first) && !first.startsWith('```');
  const standsOut = rings || (askingKinds.has(kind) && buttons.length > 0);
  if (isHeadable && standsOut)
    return { heading: [header(first)], rest: inert(first).length > maxHeaderUnits ? text : rest };
  const isTitle = isHeadable && headedKinds.has(kind) && isVisible(rest) && first.length <= maxTitleUnits;
  return isTitle ? { heading: [titled(first, '')], rest } : { heading: [], rest: text };
}

interface Apart {
  readonly body: string;
  /** Empty where nothing is set apart. */
  readonly small: string;
}

function apart(view: View, rest: string): Apart {
  if (view.kind === 'progress') return factsApart(rest);
  if (!askingKinds.has(view.kind)) return { body: rest, small: '' };
  const asked = codeApart(rest);
  const isOutcome = asked.small === '' && isSettled(view) && rest.length <= maxSmallUnits && !rest.includes('```');
  return isOutcome && isVisible(rest) ? { body: '', small: rest } : asked;
}

/** A question that is none any more has neither buttons nor a ring. */
function isSettled({ buttons, rings }: View): boolean {
  return buttons.length === 0 && !rings;
}

const codeLine = /^Code: [\w-]{1,40}$/;

function codeApart(text: string): Apart {
  const lines = text.split('\n');
  const last = lines.at(-1) ?? '';
  return codeLine.test(last) ? { body: lines.slice(0, -1).join('\n'), small: last } : { body: text, small: '' };
}

const fact = /^(?:(?:story|phase) \d+ of \d+(?:, step \d+ of \d+)?|step \d+ of \d+|\$\d+\.\d\d)$/;

/** Where it is in the whole, and what it cost. */
function factsApart(text: string): Apart {
  const lines = text.split('\n');
  const facts = lines.flatMap((line, index) => (fact.test(line) ? [index] : [])).slice(-2);
  return {
    body: lines.filter((_, index) => !facts.includes(index)).join('\n'),
    small: facts.map((index) => lines[index]).join(' · '),
  };
}

function bodyOf(body: string): Block[] {
  const blocks = blocksOf(runsOf(body, false));
  return blocks.length <= maxBodyBlocks ? blocks : blocksOf([{ text: body, look: 'plain', language: null }]);
}

function blocksOf(runs: readonly TextRun[]): Block[] {
  return partsOf(inertRuns(runs), maxSectionUnits).flatMap((part) =>
    part.flatMap(({ text, look }) => {
      // Between blocks the platform leaves a gap by itself.
      const shown = look === 'code' ? text : text.replace(/^(?:[^\S\n]*\n)+|\s+$/g, '');
      if (!isVisible(shown)) return [];
      return [look === 'code' ? code(shown) : section(shown)];
    }),
  );
}
