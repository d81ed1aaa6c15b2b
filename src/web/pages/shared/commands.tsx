import type { Child } from 'hono/jsx';
import { type Action, permit } from '../../../config/index.js';
import type { WebContext } from '../../context/web-context.js';
import { inert, lineOf } from './text.js';

/** Hides buttons that would be refused. */
export function mayAct({ services, who }: WebContext, project: string, action: Action): boolean {
  return who.kind === 'home-owner' || permit(services.config(), project, who, action).kind === 'allowed';
}

interface CommandProps {
  readonly say: string;
  readonly look?: 'first' | 'danger' | 'line' | 'icon';
  /** For a button with only an icon. */
  readonly label?: string;
  /** A dialog first, which tells what is lost and kept. */
  readonly confirm?: string;
  readonly children: Child;
}

export function Command({ say, look, label, confirm, children }: CommandProps) {
  return (
    <form class="command" method="post" action="/api/say" data-act="command">
      <button type="submit" name="text" value={sentence(say)} class={look} data-confirm={confirm}>
        {children}
        {label === undefined ? null : <span class="hidden">{label}</span>}
      </button>
    </form>
  );
}

/** Others chose these words: cut and cleaned. A changed name is then unknown. */
function sentence(say: string): string {
  return inert(say.slice(0, maxSentenceChars));
}

export const maxSentenceChars = 4_000;

interface WordedProps {
  readonly id: string;
  /** Precedes the words, with a colon. */
  readonly say: string;
  readonly label: string;
  readonly asks: string;
  readonly needsText: boolean;
}

/** The field opens with the button. */
export function WordedCommand({ id, say, label, asks, needsText }: WordedProps) {
  return (
    <details id={id} class="worded" data-key={id}>
      <summary class="button line">{label}…</summary>
      <form class="words" method="post" action="/api/say" data-act="command">
        <label for={`${id}-words`}>
          {lineOf(asks, 120)}
          <textarea id={`${id}-words`} name="note" rows={2} maxlength={20_000}></textarea>
        </label>
        <button type="submit" name="text" value={sentence(say)} data-needs-text={needsText ? '' : undefined}>
          {label}
        </button>
      </form>
    </details>
  );
}
