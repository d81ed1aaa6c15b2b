// Detects a question to the reader in an agent's last message.
const maxTextChars = 1000;
const maxOptions = 6;
const maxOptionChars = 80;

export interface OpenQuestion {
  readonly text: string;
  readonly options: readonly string[];
}

/** Options are listed after the question. */
export function openQuestion(message: string): OpenQuestion | null {
  const bare = withoutCode(message).trim();
  return questionAtEnd(bare) ?? questionAtEnd(withoutKeys(bare));
}

function questionAtEnd(text: string): OpenQuestion | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const options: string[] = [];
  let at = lines.length - 1;
  for (; at >= 0 && options.length < maxOptions; at--) {
    const option = optionIn(lines[at] ?? '');
    if (option === null) break;
    options.unshift(option);
  }
  const last = lines[at]?.trim() ?? '';
  // A list item that asks is no option.
  if (options.length > 0 && !isQuestion(last)) return asked(lines.at(-1)?.trim() ?? '', text, []);
  return asked(last, text, options);
}

function asked(line: string, text: string, options: readonly string[]): OpenQuestion | null {
  if (!isQuestion(line)) return null;
  const paragraph =
    text
      .split(/\n\s*\n/)
      .at(-1)
      ?.trim() ?? '';
  const said = paragraph.includes(line) && options.length === 0 ? paragraph : line;
  const own = said.replace(/^[A-Z][A-Z0-9_]{1,63}:\s*/, '');
  return { text: own.length <= maxTextChars ? own : `…${own.slice(1 - maxTextChars)}`, options };
}

/** By the last sentence. Headings and courtesies ("anything else?") do not count. */
function isQuestion(line: string): boolean {
  const isAsked = !/^(#|>|\|)/.test(line) && /[?？][\s*_"'”’)\]]*:?$/.test(line);
  return isAsked && !courtesy.test(line) && (!isCited.test(line) || asks.test(line));
}

/** Quoted text, such as a label on a screen, is not the agent's question. */
const isCited =
  /\b(?:says?|reads?|asks?|shows?|named|called|label(?:led)?|title|text|message|prompt|now|to)\s*:?\s+["“'‘][^"“”]{0,200}[?？]["”'’][\s*_)\]]*$/i;
const asks =
  /(?:^|[.!?:;,]\s+|[*_(-])(?:and |or |but |so )?(?:should|shall|do|does|did|is|are|was|were|can|could|would|will|may|must|have|has|which|what|whom?|whose|how|why|where|when)\b[^.!;]*$/i;
const courtesy =
  /(?:^|[.!?…,;:*_—–-]\s*)(?:(?:is|was) there )?(?:(?:do|would) you (?:need|want|like) (?:me to do )?|can i (?:do|help(?: you)? with) |may i (?:do|help(?: you)? with) )?(?:any|some)thing (?:else|more|further)(?: (?:that )?(?:i|we|you)\b[^.!?？\n]{0,80})?[?？][\s*_"'”’)\]]*$/i;

function optionIn(line: string): string | null {
  const found = /^\s*(?:[-*•]|\(?[A-Za-z0-9]{1,2}[.)])\s+(.+)$/.exec(line);
  const text = found?.[1]?.replaceAll(/[*_`]/g, '').trim() ?? '';
  if (text === '' || /[?？]$/.test(text)) return null;
  return text.length <= maxOptionChars ? text : `${text.slice(0, maxOptionChars - 1)}…`;
}

/** An unclosed block is code to the end. */
function withoutCode(text: string): string {
  const kept: string[] = [];
  let fence: string | null = null;
  for (const line of text.split('\n')) {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1]?.slice(0, 3) ?? null;
    if (mark !== null && (fence === null || fence === mark)) {
      fence = fence === null ? mark : null;
      // Keeps the line before a block from becoming the last sentence.
      kept.push('(code)');
    } else if (fence === null) kept.push(line.replaceAll(/`[^`\n]*`/g, 'code'));
  }
  return kept.join('\n');
}

/** Trailing `KEY: value` lines do not retract a question. */
function withoutKeys(text: string): string {
  const lines = text.split('\n');
  while (lines.length > 0 && /^\s*$|^[A-Z][A-Z0-9_]{1,63}:(?!\/\/)/.test(lines.at(-1) ?? '')) lines.pop();
  return lines.join('\n');
}
