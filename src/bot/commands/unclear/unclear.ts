import { emptyPlan, type Plan } from '../../../dispatch/index.js';
import { isAssent, maxTextLength, type Parsed } from '../../grammar/index.js';
import { view } from '../../views/view.js';
import { proposeInstruction } from '../instructions/instruct.js';
import { choicesFor } from '../instructions/possible.js';
import { answer, type MessageContext, say, sayError } from '../message-context.js';
import { offerAwaited } from './awaited-words.js';
import { offerNearestProject } from './misnamed.js';
import { asText, offerApproval, openCardsHere, waitingHere } from './open-cards.js';
import { offerRemoval } from './queued-tasks.js';
import { offersToRunning, offerWords } from './step-words.js';

const unsure = "I'm not sure what you mean, so I did nothing.";
const maxGuesses = 4;

export function answerUnclear(ctx: MessageContext, parsed: Parsed): Plan {
  const { text } = parsed;
  if (text.length > maxTextLength) {
    return sayError(ctx, `That message is too long: ${text.length} characters. I read at most ${maxTextLength}.`);
  }
  return offerAwaited(ctx, text) ?? offerWords(ctx, text) ?? guess(ctx, parsed);
}

/** The person declined to use the words as an answer. */
export function guess(ctx: MessageContext, parsed: Parsed): Plan {
  const { text } = parsed;
  return (
    (isAssent(text) ? offerApproval(ctx, text) : null) ??
    offerRemoval(ctx, text) ??
    proposeInstruction(ctx, text) ??
    offerChosen(ctx, text) ??
    offerNearestProject(ctx, text) ??
    offerSentences(ctx, parsed)
  );
}

function offerChosen(ctx: MessageContext, text: string): Plan | null {
  const { aside } = ctx;
  if (aside.kind !== 'chosen') return null;
  const possible = choicesFor(ctx, text);
  const offers = aside.says.flatMap((says) => possible.find((choice) => choice.says === says) ?? []);
  return offers.length === 0 ? null : say(ctx, view('answer', `${unsure} Did you mean:`, offers));
}

function offerSentences(ctx: MessageContext, { text, candidates }: Parsed): Plan {
  const cards = openCardsHere(ctx);
  const { lines, offers } = waitingHere(cards);
  const guesses = candidates.slice(0, maxGuesses).map((one) => ({ label: one.text, says: one.text }));
  const all = [...offers, ...asText(cards, text), ...offersToRunning(ctx, text), ...guesses];
  const ask = guesses.length > 0 ? `${unsure} Did you mean:` : `${unsure} Try "help".`;
  const told = lines.length === 0 ? ask : [unsure, ...lines].join('\n');
  return { ...emptyPlan, messages: [answer(ctx, view('answer', told, all), { card: cardHere(ctx) })], exit: 2 };
}

/** In a burst the answer that waits for delivery becomes the newest one. */
function cardHere({ now, thread, by }: MessageContext): string {
  const mine = `unclear:${by}:`;
  const [last] = now.reader.recent(thread.id, 1);
  const isWaiting = last?.card?.startsWith(mine) === true && now.deliveries.isOpen(Number(last.id.slice(1)));
  return isWaiting ? (last.card ?? mine) : `${mine}${last?.id ?? ''}`;
}
