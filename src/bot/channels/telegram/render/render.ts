// A view as messages of Telegram: HTML, the same as plain text for where that is refused, buttons, documents.
import type { Button, View } from '../../../../store/index.js';
import {
  type Document,
  documentOf,
  fitBars,
  headedKinds,
  headOf,
  inertRuns,
  partsOf,
  type Runs,
  runsOf,
  textOf,
  tidy,
} from '../../../render/index.js';
import { htmlOf } from './html.js';
import { type Keyboard, keyboardOf } from './keyboard.js';

export interface Part {
  readonly html: string;
  /** The same without any markup. */
  readonly plain: string;
  /** Empty but below the last part. */
  readonly keyboard: Keyboard;
  readonly isSilent: boolean;
}

export interface Rendered {
  /** At least one, at most three. */
  readonly parts: readonly Part[];
  /** They follow the parts and never ring. */
  readonly documents: readonly Document[];
}

const maxParts = 3;
/** What is shown of a text that goes as a document. */
const headUnits = 1_500;
/** The platform takes 4,096; the rest is for what is left over. */
const maxPartUnits = 3_800;

/** `idOf`: what the press of a button brings back, at most 64 bytes. */
export function renderView(view: View, idOf: (button: Button) => string): Rendered {
  const text = view.kind === 'progress' ? fitBars(tidy(view.text)) : tidy(view.text);
  const hasHeading = headedKinds.has(view.kind);
  const runs = runsOf(text, hasHeading);
  const whole = partsOf(inertRuns(runs), maxPartUnits);
  const isLong = whole.length > maxParts;
  const parts = isLong ? partsOf(inertRuns(runsOf(headOf(text, headUnits), hasHeading)), maxPartUnits) : whole;
  const keyboard = keyboardOf(view.buttons, idOf);
  return {
    parts: parts.map((part, index) => partOf(part, { view, keyboard, isLast: index === parts.length - 1 })),
    documents: [
      ...(isLong ? [documentOf(`${view.kind}.txt`, textOf(runs))] : []),
      ...(view.file === null ? [] : [documentOf(view.file.name, view.file.text)]),
    ],
  };
}

function partOf(runs: Runs, about: { view: View; keyboard: Keyboard; isLast: boolean }): Part {
  const { view, keyboard, isLast } = about;
  return {
    html: htmlOf(runs),
    plain: textOf(runs),
    keyboard: isLast ? keyboard : [],
    // One ring for each view, by the part that has its buttons.
    isSilent: !(view.rings && isLast),
  };
}
