// A store that delivers to every channel of the registry.
import { channelKinds } from '../src/bot/channels/registry.js';
import {
  type OpenOptions,
  openStore as openStoreWith,
  placeOf,
  type SqliteStore,
  type Thread,
} from '../src/store/index.js';

export function openStore(path: string, options: Omit<OpenOptions, 'threads'> = {}): SqliteStore {
  return openStoreWith(path, { ...options, threads: channelKinds });
}

/** The thread of a platform with this id, before there is a row for it. */
export function placedThread(id: string): Thread | null {
  const place = placeOf(channelKinds, id);
  return place === null ? null : { id, ...place, project: null, quiet: false };
}
