// The most trusted report's claim in canonical words, with warnings.

import type { JobDef } from '../workflow/definition.js';
import type { Envelope, Report } from './envelope.js';
import { normaliseReason, normaliseStatus, type StatusWord } from './status-words.js';

export interface Claim {
  /** Lower case, otherwise as reported. */
  readonly word: string | null;
  readonly status: StatusWord | 'unknown' | null;
  readonly reason: string | null;
  readonly summary: string | null;
  readonly warnings: readonly string[];
  /** Set if no more trusted report has a status. */
  readonly contradicts?: readonly string[];
}

export function readClaim(envelope: Envelope, def: JobDef): Claim | null {
  const sources = reportsIn(envelope, def);
  const first = sources.find((one) => one.report.status !== null) ?? sources[0];
  if (!first) return null;
  const { status, reason } = first.report;
  const contradicts = first.from === 'STATUS' ? envelope.output.statuses : undefined;
  const normal = normaliseReason(reason, Object.keys(def.onFail));
  const summary = [first, ...sources].find((one) => one.report.summary)?.report.summary ?? fallbackSummary(envelope);
  // It routes nowhere, but people read it.
  const said = normal.warning ? [summary, `Reason given: ${reason}`].filter((line) => line).join('\n') : summary;
  return {
    word: status?.trim().toLowerCase() ?? null,
    status: contradicts ? 'unknown' : statusOf(status),
    reason: normal.reason,
    summary: said,
    ...(contradicts && { contradicts }),
    warnings: [...conflicts(sources, first), ...nearMiss(first, def), ...(normal.warning ? [normal.warning] : [])],
  };
}

export function statusWord({ word, status }: Claim, def: JobDef): string | null {
  return word === null || Object.hasOwn(def.onStatus, word) || status === 'unknown' ? word : status;
}

export function isSameStatus(allowed: string, claim: Claim): boolean {
  return allowed.toLowerCase() === claim.word || normaliseStatus(allowed) === claim.status;
}

interface Source {
  readonly from: 'executor-result' | 'HANDOFF' | 'STATUS';
  readonly report: Report;
}

/** Most trusted first. */
function reportsIn(envelope: Envelope, def: JobDef): readonly Source[] {
  const found: Source[] = [];
  const { keys, summary } = envelope.output;
  const status = keys['STATUS'];
  if (envelope.result) found.push({ from: 'executor-result', report: envelope.result });
  if (envelope.handoff?.front) found.push({ from: 'HANDOFF', report: envelope.handoff.front });
  if (status !== undefined) found.push({ from: 'STATUS', report: { status, reason: keys['REASON'] ?? null, summary } });
  if (found.length > 0 || !envelope.handoff) return found;
  const marked = grepBody(envelope.handoff.body);
  if (marked) return [{ from: 'HANDOFF', report: { ...marked, summary: null } }];
  // Notes alone pass after a good end, unless a status is required.
  return [{ from: 'HANDOFF', report: { status: def.expects.status ? null : 'pass', reason: null, summary: null } }];
}

function conflicts(sources: readonly Source[], first: Source): readonly string[] {
  const say = ({ report }: Source) => `${report.status ?? 'nothing'}${report.reason ? ` (${report.reason})` : ''}`;
  const differs = ({ report }: Source) =>
    statusOf(report.status) !== statusOf(first.report.status) ||
    (report.reason !== null && first.report.reason !== null && report.reason !== first.report.reason);
  return sources.filter(differs).map((other) => `${first.from} says ${say(first)}, ${other.from} says ${say(other)}`);
}

/** Files have a closed vocabulary, printed lines do not. */
function nearMiss({ from, report }: Source, def: JobDef): readonly string[] {
  const word = report.status?.trim() ?? '';
  const meant = normaliseStatus(word);
  const declared = [...(def.expects.status ?? []), ...Object.keys(def.onStatus)];
  if (from === 'STATUS' || meant === null || meant === word || declared.includes(word)) return [];
  return [`${from} says "${word}", which was read as ${meant}`];
}

function statusOf(word: string | null): Claim['status'] {
  return word === null ? null : (normaliseStatus(word) ?? 'unknown');
}

const maxSummaryChars = 1500;

function fallbackSummary({ output, handoff }: Envelope): string | null {
  const body = handoff?.body.trim().slice(0, maxSummaryChars) ?? '';
  return output.summary ?? (body === '' ? null : body);
}

const markers: readonly (readonly [RegExp, string])[] = [
  [/\bNEEDS[ _-]CLARIFICATION\b/, 'needs_clarification'],
  [/\bCONSTITUTION[ _-]VIOLATION\b/, 'constitution_violation'],
  [/\bSCOPE[ _-]WARNING\b/, 'scope_warning'],
];

interface BodyVerdict {
  readonly status: StatusWord;
  readonly reason: string;
}

export function grepBody(body: string): BodyVerdict | null {
  for (const [marker, reason] of markers) {
    if (marker.test(body)) return { status: 'failing', reason };
  }
  return null;
}
