// The earlier loop form: a failure costs a rejection, and findings go to the repeated step.

import type { SourcePosition } from '../source/problem.js';
import type { MapTree, Tree, TreeEntry } from '../source/tree.js';
import { snakeCase } from '../vocabulary/old-spellings.js';
import { vocabulary } from '../vocabulary/vocabulary.js';

interface Rewritten {
  readonly node: MapTree;
  readonly retries: TreeEntry | undefined;
}

/** Each failure costs a rejection instead of a retry. */
export function asWork(node: MapTree, id: string): Rewritten {
  const { entries, retries } = handedBack(node, 'on_fail', 'default', id, { retry: true, budget: 'rejections' });
  const isBounded = entries.some((one) => snakeCase(one.key) === 'max_attempts');
  const once: TreeEntry = { key: 'max_attempts', at: node.at, value: treeOf(1, node.at) };
  return { node: { ...node, entries: isBounded ? entries : [...entries, once] }, retries };
}

/** Everything but a yes hands back. */
export function asVerifier(node: MapTree, work: string): Rewritten {
  const back = { goto: work, budget: 'rejections', carry: { verify_feedback: 'ISSUES' } };
  const byStatus = handedBack(node, 'on_status', 'retry', work, back);
  const byFailure = handedBack({ ...node, entries: byStatus.entries }, 'on_fail', 'default', work, back);
  const entries = withVerdicts(byFailure.entries, node.at);
  return { node: { ...node, entries }, retries: byFailure.retries };
}

type Plain = string | number | boolean | readonly string[] | { readonly [key: string]: Plain };

/** Unless the file leads elsewhere. */
function handedBack(
  node: MapTree,
  key: 'on_fail' | 'on_status',
  word: string,
  target: string,
  route: Plain,
): { entries: readonly TreeEntry[]; retries: TreeEntry | undefined } {
  const isShort = (one: TreeEntry) => key === 'on_fail' && snakeCase(one.key) === 'next_on_fail';
  const short = node.entries.find(isShort);
  const said = node.entries.find((one) => snakeCase(one.key) === key);
  const own = said ? withoutRoute(said, word, target) : { kept: [], retries: undefined };
  if (own === null || (short && !leadsTo(short.value, target))) return { entries: node.entries, retries: undefined };
  const others = node.entries.filter((one) => one !== said && one !== short);
  const at = said?.at ?? node.at;
  const value: MapTree = { type: 'map', at, entries: [{ key: word, at, value: treeOf(route, at) }, ...own.kept] };
  return { entries: [...others, { key, at, value }], retries: own.retries };
}

const directKeys: readonly string[] = [...vocabulary.route, 'retry_step', 'next_step', 'clear_context'];

/** Null: the route leads elsewhere. */
function withoutRoute(
  said: TreeEntry,
  word: string,
  target: string,
): { kept: readonly TreeEntry[]; retries: TreeEntry | undefined } | null {
  const { value } = said;
  if (value.type !== 'map') return isEmpty(value) || leadsTo(value, target) ? { kept: [], retries: undefined } : null;
  const direct = word === 'default' ? value.entries.filter((one) => directKeys.includes(snakeCase(one.key))) : [];
  const named = value.entries.find((one) => one.key === word);
  if (direct.length > 0 && !leadsTo({ ...value, entries: direct }, target)) return null;
  if (named && !leadsTo(named.value, target)) return null;
  const retries = value.entries.find((one) => snakeCase(one.key) === 'max_retries');
  const dropped = [...direct, named, retries];
  return { kept: value.entries.filter((one) => !dropped.includes(one)), retries };
}

/** `x`, `{retry_step: x}` or `{goto: x}`, without a budget. */
function leadsTo(route: Tree, target: string): boolean {
  if (route.type === 'scalar') return route.text.trim() === target;
  if (route.type === 'list' || route.entries.some((one) => one.key === 'budget')) return false;
  return route.entries.some((one) => {
    const isWay = ['goto', 'retry_step', 'next_step'].includes(snakeCase(one.key));
    return isWay && one.value.type === 'scalar' && one.value.text.trim() === target;
  });
}

function isEmpty(value: Tree): boolean {
  return value.type === 'scalar' && value.value === null;
}

/** A verifier reports `done` or `retry`. */
function withVerdicts(entries: readonly TreeEntry[], at: SourcePosition): readonly TreeEntry[] {
  const said = entries.find((one) => one.key === 'expects');
  if (!said) return [...entries, { key: 'expects', at, value: treeOf({ status: ['done', 'retry'] }, at) }];
  const value = expected(said.value);
  return entries.map((one) => (one === said ? { ...said, value } : one));
}

function expected(value: Tree): Tree {
  if (value.type === 'map' && !value.entries.some((one) => one.key === 'status')) {
    const status: TreeEntry = { key: 'status', at: value.at, value: treeOf(['done', 'retry'], value.at) };
    return { ...value, entries: [...value.entries, status] };
  }
  const word = value.type === 'scalar' ? /^\s*STATUS\s*:\s*(\S+)\s*$/.exec(value.text)?.[1] : undefined;
  return word === undefined ? value : treeOf({ status: [word, 'retry'] }, value.at);
}

function treeOf(value: Plain, at: SourcePosition): Tree {
  if (isList(value)) return { type: 'list', at, items: value.map((one) => treeOf(one, at)) };
  if (typeof value !== 'object') return { type: 'scalar', at, value, text: String(value), placeholders: [] };
  const entries = Object.entries(value).map(([key, one]) => ({ key, at, value: treeOf(one, at) }));
  return { type: 'map', at, entries };
}

function isList(value: Plain): value is readonly string[] {
  return Array.isArray(value);
}
