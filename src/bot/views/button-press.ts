// What pressing a button says. A view is made before its message has an id: what the message offers by itself is `.0`
// there, and `m27.0` for whoever is to press it.
import type { Button, Message } from '../../store/index.js';

/** The buttons of a message, as they are handed out. */
export function buttonsOf({ id, view }: Pick<Message, 'id' | 'view'>): readonly Button[] {
  return view.buttons.map(({ label, press }) => ({ label, press: pressOf(id, press) }));
}

/** `id`: of the message whose view it stands in, which is the newest one of a card. */
export function pressOf(id: string, press: string): string {
  return press.startsWith('.') ? `${id}${press}` : press;
}
