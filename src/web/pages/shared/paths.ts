// Where things are, under names that others gave. A name that could not be an address is cut: it leads nowhere, and a page
// stays whole.
import { lineOf } from './text.js';

const maxNameChars = 200;

export function inPath(name: string): string {
  return encodeURIComponent(lineOf(name, maxNameChars));
}

export function projectPath(name: string): string {
  return `/projects/${inPath(name)}`;
}

export function attemptPath(run: string, attempt: string): string {
  return `/runs/${inPath(run)}/attempts/${inPath(attempt)}`;
}

/** Of one item, or of the whole run where there is none. */
export function changesPath(run: string, item: string): string {
  return `/runs/${inPath(run)}/changes${item === '' ? '' : `?item=${inPath(item)}`}`;
}
