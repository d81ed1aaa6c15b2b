// Completes button presses. A view is built before its message has an id, so its own offers are `.0`; outgoing, they
// are `m27.0`.
import type { Button, Message } from '../../store/index.js';

export function buttonsOf({ id, view }: Pick<Message, 'id' | 'view'>): readonly Button[] {
  return view.buttons.map(({ label, press }) => ({ label, press: pressOf(id, press) }));
}

/** `id` is the message that shows the view: the newest of its card. */
export function pressOf(id: string, press: string): string {
  return press.startsWith('.') ? `${id}${press}` : press;
}
