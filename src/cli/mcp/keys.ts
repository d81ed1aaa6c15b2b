// Names for what is asked, so that asking the same again while it is open is no second card.
import { createHash, randomBytes } from 'node:crypto';

export interface AskKey {
  readonly key: string;
  /** It was answered: the same words are a new thing to ask from now on. */
  readonly settle: () => void;
}

export interface AskKeys {
  of(kind: 'question' | 'permission', asked: unknown, id?: string): AskKey;
}

export function askKeys(): AskKeys {
  const rounds = new Map<string, number>();
  // An answer to a question is as good for a server that was started anew; a permission that was given once is not.
  const own = randomBytes(4).toString('hex');
  return {
    of(kind, asked, id) {
      if (id !== undefined && id !== '') return { key: `use-${digest(id)}`, settle: () => undefined };
      const name = `${kind === 'permission' ? `${own}-` : ''}${digest(JSON.stringify(asked))}`;
      const round = rounds.get(name) ?? 1;
      return { key: `${round}-${name}`, settle: () => void rounds.set(name, round + 1) };
    },
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}
