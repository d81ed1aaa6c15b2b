// A view's text as blocks: a heading, prose, code, and in small letters what came of it or what is beside the point.
import type { View } from '../../../dispatch/index.js';
import { askingKinds, headedKinds, isVisible, partsOf, type Run, runsOf } from '../../render/index.js';
import { type Block, code, context, header, maxHeaderUnits, maxSectionUnits, section, titled } from './block.js';

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

/** What rings stands out; a heading that is too long for that is there once more as text. */
function headed({ kind, rings }: View, text: string): { readonly heading: Block[]; readonly rest: string } {
  const [first = '', ...others] = text.split('\n');
  const rest = others.join('\n');
  const isHeadable = isVisible(first) && !first.startsWith('```');
  if (isHeadable && rings) return { heading: [header(first)], rest: first.length > maxHeaderUnits ? text : rest };
  const isTitle = isHeadable && headedKinds.has(kind) && isVisible(rest) && first.length <= maxTitleUnits;
  return isTitle ? { heading: [titled(first, '')], rest } : { heading: [], rest: text };
}

interface Apart {
  readonly body: string;
  /** Empty where nothing is set apart. */
  readonly small: string;
}

function apart(view: View, rest: string): Apart {
  if (isSettled(view) && isVisible(rest) && rest.length <= maxSmallUnits && !rest.includes('```'))
    return { body: '', small: rest };
  if (askingKinds.has(view.kind)) return lastLineApart(rest, /^Code: [\w-]{1,40}$/);
  return view.kind === 'progress' ? factsApart(rest) : { body: rest, small: '' };
}

/** A question that is none any more has neither buttons nor a ring. */
function isSettled({ kind, buttons, rings }: View): boolean {
  return askingKinds.has(kind) && buttons.length === 0 && !rings;
}

function lastLineApart(text: string, pattern: RegExp): Apart {
  const lines = text.split('\n');
  const last = lines.at(-1) ?? '';
  return pattern.test(last) ? { body: lines.slice(0, -1).join('\n'), small: last } : { body: text, small: '' };
}

const fact = /^(?:(?:story|phase) \d+ of \d+(?:, step \d+ of \d+)?|step \d+ of \d+|\$\d+\.\d\d)$/;

/** Where it is in the whole, and what it cost. */
function factsApart(text: string): Apart {
  const lines = text.split('\n');
  const facts = lines.filter((line) => fact.test(line)).slice(-2);
  return { body: lines.filter((line) => !facts.includes(line)).join('\n'), small: facts.join(' · ') };
}

function bodyOf(body: string): Block[] {
  const blocks = blocksOf(runsOf(body, false));
  return blocks.length <= maxBodyBlocks ? blocks : blocksOf([{ text: body, look: 'plain', language: null }]);
}

function blocksOf(runs: readonly Run[]): Block[] {
  return partsOf(runs, maxSectionUnits).flatMap((part) =>
    part.flatMap(({ text, look }) => {
      // Between blocks the platform leaves a gap by itself.
      const shown = look === 'code' ? text : text.replace(/^(?:[^\S\n]*\n)+|\s+$/g, '');
      if (!isVisible(shown)) return [];
      return [look === 'code' ? code(shown) : section(shown)];
    }),
  );
}
