import { GrammyError } from 'grammy';
import { openApi, type TelegramPlace, whyOf } from '../client.js';
import type { TelegramBot } from '../inbound/read/update-schema.js';

export type TelegramTokenCheck =
  | { readonly kind: 'good'; readonly me: TelegramBot; readonly readsAll: boolean }
  | { readonly kind: 'refused' }
  | { readonly kind: 'unreachable'; readonly why: string };

const limitS = 15;

export async function checkToken(place: TelegramPlace): Promise<TelegramTokenCheck> {
  if (!/^\d{5,}:[\w-]{20,}$/.test(place.token)) return { kind: 'refused' };
  try {
    const { id, username, can_read_all_group_messages: readsAll } = await openApi(place, limitS).getMe();
    return { kind: 'good', me: { id, username }, readsAll };
  } catch (error) {
    const isRefused = error instanceof GrammyError && [401, 404].includes(error.error_code);
    return isRefused ? { kind: 'refused' } : { kind: 'unreachable', why: whyOf(error) };
  }
}
