// Deny beats allow, a question approves nothing, doubt is asked back.
import { type Clause, joinClauses, readClauses } from './clauses.js';
import { type Candidate, type Parsed, type ReplyKind, unclear } from './parsed.js';
import { readAmount } from './row.js';

/** `explicit`: the verdict that the reply spells out word for word. */
export function parseReply(text: string, kind: ReplyKind, explicit: Parsed | null): Parsed {
  const said = text.trim();
  const reply: Parsed = { ...unclear(text), inReply: kind, note: said === '' ? null : said };
  if (said === '') return reply;
  // Any text answers, even "yes", and never approves. A code names another card.
  if ((kind === 'question' || kind === 'choice') && (explicit?.code ?? null) === null) {
    return { ...reply, verb: 'answer' };
  }
  const amount = kind === 'budget' ? readAmount(said) : null;
  if (amount !== null) return { ...reply, verb: 'answer', target: amount };
  return verdictOf(said, reply, explicit);
}

function verdictOf(said: string, reply: Parsed, explicit: Parsed | null): Parsed {
  const isTaken = explicit !== null && (explicit.verb === 'reject' || isApprovalSafe(said));
  if (isTaken) return { ...explicit, inReply: reply.inReply };
  const clauses = readClauses(said);
  const rejecting = clauses.filter(isRejection);
  if (rejecting.length > 0) return rejection(reply, clauses, rejecting);
  const approving = clauses.filter((clause) => approvingWords.has(clause.words));
  if (approving.length > 0 && isApprovalSafe(said)) {
    return { ...reply, verb: 'approve', note: without(clauses, approving) };
  }
  return { ...reply, candidates: verdicts };
}

const verdicts: readonly Candidate[] = [
  { verb: 'approve', project: null, text: 'approve' },
  { verb: 'reject', project: null, text: 'reject' },
];

/** Only as a whole clause. */
const approvingWords: ReadonlySet<string> = new Set([
  'approve',
  'approved',
  'ok',
  'okay',
  'yes',
  'lgtm',
  'looks good',
  'looks good to me',
  'ship it',
  'others ok',
  'rest ok',
]);

const rejectingWords: ReadonlySet<string> = new Set([
  'reject',
  'rejected',
  'no',
  'nope',
  'changes',
  'request changes',
  'changes requested',
  'needs changes',
  'deny',
  'denied',
  'disallow',
  'disapprove',
  'disapproved',
  'cancel',
]);

/** Right before the approval, with at most one emphasis between. */
const negatedApproval =
  /(?:^| )(?:not|never|no|cannot|cant|dont|wont|isnt|doesnt|[a-z]{2,8}n't)(?: (?:yet|really|quite|at all|be|so|to|ever))? (?:approved?|ok|okay|lgtm|looks? good|ship it)(?: |$)/;

function isRejection({ words, separator }: Clause): boolean {
  if (separator === '?' || separator === '？') return false;
  if (negatedApproval.test(words)) return true;
  return rejectingWords.has(words) || (/^(?:i )?reject(?:ed)?(?=[ :])/.test(words) && !negating.test(words));
}

function rejection(reply: Parsed, clauses: readonly Clause[], rejecting: readonly Clause[]): Parsed {
  const bare = rejecting.filter((clause) => rejectingWords.has(clause.words));
  const { reason, rest } = splitReason(without(clauses, bare));
  return { ...reply, verb: 'reject', note: rest, reason };
}

function without(clauses: readonly Clause[], left: readonly Clause[]): string | null {
  const gone = new Set(left);
  return joinClauses(clauses.filter((clause) => !gone.has(clause)));
}

/** Whole words: `no-op` does not negate. */
const negating =
  /(?<![\p{Script=Latin}\p{N}_]|[\p{L}\p{N}]-)(?:not|no|nope|nor|never|neither|cannot|cant|dont|wont|isnt|doesnt|shouldnt)(?!-?[\p{Script=Latin}\p{N}_])|n't(?!\p{Script=Latin})/iu;
/** Approximate, in other languages. */
const negatingElsewhere =
  /(?<![\p{L}\p{N}_])(?:nicht|kein|keine|nein|pas|non|nie|não|nao|niet|geen|ikke|inte|не|нет|ні)(?![\p{L}\p{N}_])|[不别没勿未]/iu;
const rejectingWord =
  /(?<![\p{L}\p{N}_]|[\p{L}\p{N}]-)(?:reject(?:ed|ing|s)?|disapproved?|disallow(?:ed)?|den(?:y|ied)|unless|wait|hold on|hold off)(?!-?[\p{L}\p{N}_])/iu;
const asking =
  /[?？]|(?:^|[,;.!\n] ?)(?:why|what|how|who|which|where|should|shall|could|can|would|does|is it|are you)\b/i;
/** "yes, skip it" is no approval. */
const commanding =
  /(?:^|[,;.!\n] ?)(?:abort|cancel|stop|pause|retry|skip|rollback)(?: (?:it|this|that|now|all))?(?=\s*(?:[,;.!\n]|$))/i;

function isApprovalSafe(said: string): boolean {
  const text = said.replaceAll('’', "'");
  return ![negating, negatingElsewhere, rejectingWord, asking, commanding].some((pattern) => pattern.test(text));
}

/** `constitution_violation breaks the layering`: a code needs an underscore, so that no sentence loses a word. */
export function splitReason(note: string | null): { readonly reason: string | null; readonly rest: string | null } {
  const found = note === null ? null : /^([a-z]+(?:_[a-z0-9]+){1,8})(?=[\s,.:;]|$)[\s,.:;]*/i.exec(note);
  if (note === null || found === null) return { reason: null, rest: note };
  const rest = note.slice(found[0].length).trim();
  return { reason: (found[1] ?? '').toLowerCase(), rest: rest === '' ? null : rest };
}
