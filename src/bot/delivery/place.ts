// Where a message is: the platform's ids of its parts in their order, each with a mark of what it shows.
import { createHash } from 'node:crypto';

export interface Shown {
  readonly id: string;
  /** An upload is with the platform, and nobody sees it yet. */
  readonly kind: 'text' | 'file' | 'upload';
  /** Of what it shows, as `markOf` has it. */
  readonly mark: string;
}

export type Place = readonly Shown[];

/** More than any message has parts. */
const maxParts = 20;
const entry = /^([A-Z0-9.]{1,40})([tfu])([\w-]{1,32})$/;
const kinds = { t: 'text', f: 'file', u: 'upload' } as const;

/** `["12tAbC…","13fXyZ…"]`. What cannot be read is no place: the message is sent anew. */
export function readPlace(text: string | null): Place {
  if (text === null) return [];
  const given: unknown = JSON.parse(text);
  if (!Array.isArray(given)) return [];
  const found = given.slice(0, maxParts).map((one: unknown) => entry.exec(String(one)));
  return found.flatMap((one) => {
    if (one === null) return [];
    const [, id = '', kind = '', mark = ''] = one;
    return [{ id, kind: kind === 't' || kind === 'f' ? kinds[kind] : kinds.u, mark }];
  });
}

export function placeText(place: Place): string {
  return JSON.stringify(place.map(({ id, kind, mark }) => `${id}${kind.slice(0, 1)}${mark}`));
}

export function markOf(...what: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(what)).digest('base64url').slice(0, 16);
}
