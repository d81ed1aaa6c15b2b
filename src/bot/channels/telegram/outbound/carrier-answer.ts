import { GrammyError, HttpError } from 'grammy';
import type { PostResult } from '../../../delivery/index.js';
import { networkCodeOf, wasNeverSent } from '../../bounded-fetch.js';

export type TelegramCall = 'send' | 'edit' | 'delete' | 'other';

/** For a refusal that names no time. */
const defaultWaitS = 5;
const maxWhyChars = 200;

export function answerTo(error: unknown, doing: TelegramCall): PostResult {
  if (error instanceof GrammyError) return refusal(error, doing);
  if (error instanceof HttpError) return lost(error.error, doing);
  throw error;
}

function refusal(error: GrammyError, doing: TelegramCall): PostResult {
  const { error_code: code, parameters, description } = error;
  const why = description.slice(0, maxWhyChars);
  if (code === 429) return { kind: 'wait', ms: (parameters.retry_after ?? defaultWaitS) * 1_000 };
  if (parameters.migrate_to_chat_id !== undefined) return { kind: 'moved', to: String(parameters.migrate_to_chat_id) };
  // A gateway may have passed it on.
  if (code >= 500) return { kind: 'lost', mayHaveArrived: doing === 'send', why };
  if (isBarred(error)) return { kind: 'barred', why: `Telegram refuses this bot (${code}: ${why}): ${howToMend}` };
  const known = meanings.find(({ says, of = [doing] }) => says.test(description) && of.includes(doing));
  if (known !== undefined) return known.is(why);
  return { kind: 'refused', why, of: code === 403 ? 'lane' : 'message' };
}

const howToMend = 'check channels.telegram.token and api_root in config.yaml; until then all messages wait';

/** 404 is a wrong token or server; "method not found" is an old server. */
function isBarred({ error_code: code, description }: GrammyError): boolean {
  return code === 401 || (code === 404 && !/method not found/i.test(description));
}

interface Meaning {
  readonly says: RegExp;
  readonly of?: readonly TelegramCall[];
  readonly is: (why: string) => PostResult;
}

const meanings: readonly Meaning[] = [
  { says: /message is not modified/i, is: () => ({ kind: 'unchanged' }) },
  {
    says: /message to delete not found|message can't be deleted|message identifier is not specified/i,
    of: ['delete'],
    is: () => ({ kind: 'unchanged' }),
  },
  {
    says: /message to edit not found|message can't be edited|there is no text in the message|MESSAGE_ID_INVALID/i,
    of: ['edit'],
    is: () => ({ kind: 'gone' }),
  },
  { says: /can't parse entities|ENTITIES_TOO_LONG|ENTITY_/i, is: () => ({ kind: 'plainer' }) },
  // Telegram rejects links to names such as localhost.
  { says: /BUTTON_URL_INVALID|button URL '.*' is invalid|wrong HTTP URL/i, is: () => ({ kind: 'plainer' }) },
  {
    says: /thread not found|TOPIC_(CLOSED|DELETED|ID_INVALID)/i,
    is: (why) => ({ kind: 'refused', why, of: 'thread' }),
  },
  {
    says: /chat not found|PEER_ID_INVALID|rights to send|CHAT_(WRITE_FORBIDDEN|RESTRICTED|ADMIN_REQUIRED)|chat was (deleted|upgraded)/i,
    is: (why) => ({ kind: 'refused', why, of: 'lane' }),
  },
];

function lost(inner: unknown, doing: TelegramCall): PostResult {
  const code = networkCodeOf(inner);
  const said = code ?? (inner instanceof Error ? inner.message : 'no answer');
  // Security: its addresses contain the token.
  const why = said.replace(/\d{6,}:[\w-]{20,}/g, '(token)').slice(0, maxWhyChars);
  return { kind: 'lost', mayHaveArrived: doing === 'send' && !wasNeverSent(code), why };
}
