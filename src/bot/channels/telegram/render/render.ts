import type { ShownTime } from '../../../../base/index.js';
import type { Button, View } from '../../../../store/index.js';
import {
  type AttachedDocument,
  documentOf,
  fitBars,
  hasProgress,
  headedKinds,
  headOf,
  inert,
  inertRuns,
  mentioned,
  partsOf,
  runsOf,
  runsWithMarkdown,
  type TextRun,
  type TextRuns,
  textOf,
  tidy,
  timed,
} from '../../../render/index.js';
import { withoutJoiners } from '../../../render/word-joiner.js';
import { type Keyboard, keyboardOf } from './keyboard.js';

export interface Part {
  readonly html: string;
  readonly plain: string;
  /** Only the last part has one. */
  readonly keyboard: Keyboard;
  readonly isSilent: boolean;
}

export interface Rendered {
  readonly parts: readonly Part[];
  /** Sent after the parts, silently. */
  readonly documents: readonly AttachedDocument[];
}

const maxParts = 3;
/** Head of a text that goes as a document. */
const headUnits = 1_500;
/** Telegram allows 4,096; the rest is a reserve. */
const maxPartUnits = 3_800;

export function renderView(view: View, idOf: (button: Button) => string): Rendered {
  const text = hasProgress(view) ? fitBars(tidy(view.text)) : tidy(view.text);
  const hasHeading = headedKinds.has(view.kind);
  const runs = runsWithMarkdown(text, hasHeading, view.markdown);
  const named = (some: readonly TextRun[]) => timed(mentioned(inertRuns(some), view.mentions ?? []), view.times);
  const whole = partsOf(named(runs), maxPartUnits);
  const isLong = whole.length > maxParts;
  const parts = isLong ? partsOf(named(runsOf(headOf(text, headUnits), hasHeading)), maxPartUnits) : whole;
  const keyboard = keyboardOf(view, idOf);
  return {
    parts: parts.map((part, index) => partOf(part, { view, keyboard, isLast: index === parts.length - 1 })),
    documents: [
      ...(isLong ? [documentOf(`${view.kind}.txt`, textOf(runs))] : []),
      ...(view.file === null ? [] : [documentOf(view.file.name, view.file.text)]),
    ],
  };
}

function partOf(runs: TextRuns, about: { view: View; keyboard: Keyboard; isLast: boolean }): Part {
  const { view, keyboard, isLast } = about;
  return {
    html: htmlOf(runs),
    // Without markup inline code is an ordinary word.
    plain: textOf(runs.map((run) => (run.look === 'mono' ? { ...run, text: inert(run.text) } : run))),
    keyboard: isLast ? keyboard : [],
    // Rings once, with the buttons.
    isSilent: !(view.rings && isLast),
  };
}

/** Security: escapes all text, so that none of it acts as markup. */
export function htmlOf(runs: readonly TextRun[]): string {
  let links = maxLinks;
  const linked = (text: string) =>
    text.replace(link, (found) => {
      links -= 1;
      return links < 0 ? found : `<code>${withoutJoiners(found)}</code>`;
    });
  let times = maxTimes;
  const shown = runs.map(({ time, ...run }) => {
    times -= time === undefined ? 0 : 1;
    return time === undefined || times < 0 ? run : { ...run, time };
  });
  return shown.map((run) => mark(run, linked)).join('');
}

/** Telegram applies at most 100 entities per message. */
const maxLinks = 40;
const maxTimes = 40;

/** `inert` broke this link. As code it is not clickable, and a tap copies it. */
const link = /https?:\u2060\/\/(?:&amp;|[^\s&])*(?:&amp;|[^\s&.,;:!?)\]}'\u2060])/g;

function mark({ text, look, language, account, time }: TextRun, linked: (text: string) => string): string {
  const escaped = escapeHtml(text);
  if (account !== undefined && /^\d{1,20}$/.test(account)) return `<a href="tg://user?id=${account}">${escaped}</a>`;
  if (time !== undefined) return looking(look, timeTag(time, escaped));
  if (look === 'plain') return linked(escaped);
  if (look !== 'code') return looking(look, escaped);
  return language === null
    ? `<pre>${escaped}</pre>`
    : `<pre><code class="language-${escapeHtml(language)}">${escaped}</code></pre>`;
}

function looking(look: TextRun['look'], html: string): string {
  const tag = tags[look];
  return tag === undefined ? html : `<${tag}>${html}</${tag}>`;
}

/** The reader's app shows the moment in its own zone; an app that knows no such tag shows the text. */
function timeTag({ at, hasDate }: ShownTime, escaped: string): string {
  return `<tg-time unix="${at / 1000}" format="${hasDate ? 'wdt' : 't'}">${escaped}</tg-time>`;
}

const tags: Readonly<Partial<Record<TextRun['look'], string>>> = { bold: 'b', italic: 'i', strike: 's', mono: 'code' };

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
