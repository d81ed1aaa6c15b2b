// Where a message is: the platform's ids of its parts in their order, each with a mark of what it shows.
import { createHash } from 'node:crypto';

export interface Shown {
  readonly id: number;
  readonly kind: 'text' | 'file';
  /** Of what it shows, as `markOf` has it. */
  readonly mark: string;
}

export type Place = readonly Shown[];

/** More than any message has parts. */
const maxParts = 20;
const entry = /^(\d{1,16})([tf])([\w-]{1,32})$/;

/** `["12tAbC…","13fXyZ…"]`. What cannot be read is no place: the message is sent anew. */
export function readPlace(text: string | null): Place {
  if (text === null) return [];
  const given: unknown = JSON.parse(text);
  if (!Array.isArray(given)) return [];
  const found = given.slice(0, maxParts).map((one: unknown) => entry.exec(String(one)));
  return found.flatMap((one) => {
    if (one === null) return [];
    const [, id = '', kind = '', mark = ''] = one;
    return [{ id: Number(id), kind: kind === 't' ? ('text' as const) : ('file' as const), mark }];
  });
}

export function placeText(place: Place): string {
  return JSON.stringify(place.map(({ id, kind, mark }) => `${id}${kind === 'text' ? 't' : 'f'}${mark}`));
}

export function idsOf(place: Place): readonly string[] {
  return place.map(({ id }) => String(id));
}

export function markOf(...what: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(what)).digest('base64url').slice(0, 16);
}
