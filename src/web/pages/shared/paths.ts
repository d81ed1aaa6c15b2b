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

/** '': the whole run. */
export function changesPath(run: string, item: string): string {
  return `/runs/${inPath(run)}/changes${item === '' ? '' : `?item=${inPath(item)}`}`;
}
