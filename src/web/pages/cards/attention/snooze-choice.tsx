// How long a card is put off. The reader's zone decides when tomorrow morning is.
import { quietUntil } from '../../../../dispatch/index.js';
import { dayEnd } from '../../../../store/index.js';
import type { WebContext } from '../../../context/web-context.js';
import { Command } from '../../shared/commands.js';
import { isoOf, ownZone } from '../../shared/text.js';

const morningMinute = 9 * 60;

interface SnoozeProps {
  readonly web: WebContext;
  readonly card: string;
  /** A card stands in a row and by itself on one page. */
  readonly place: 'card' | 'row';
}

/** The last choice is a moment: a page that stays open over night means no other one. */
export function SnoozeChoice({ web, card, place }: SnoozeProps) {
  return (
    <details id={`snooze-${place}-${card}`} class="snooze">
      <summary class="button ghost">Snooze…</summary>
      <div class="buttons rest">
        <Command say={`snooze ${card} 30m`}>30 min</Command>
        <Command say={`snooze ${card} 1h`}>1 h</Command>
        <Command say={`snooze ${card} 3h`}>3 h</Command>
        <Command say={`snooze ${card} until ${basicIso(nextMorning(web))}`}>Tomorrow 9:00</Command>
      </div>
    </details>
  );
}

function nextMorning({ now, zone }: Pick<WebContext, 'now' | 'zone'>): number {
  const midnight = dayEnd(now(), zone);
  const night = { fromMinute: 0, toMinute: morningMinute, zone: zone ?? ownZone, questionsRing: false };
  return quietUntil(night, midnight) ?? midnight;
}

/** `20261121T0900Z` */
function basicIso(at: number): string {
  return `${isoOf(at).slice(0, 16).replace(/[-:]/g, '')}Z`;
}
