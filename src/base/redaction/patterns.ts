// Well-known keys. No backtracking: each pattern starts with a fixed prefix, and each repetition is bounded or consumes
// what it scanned.

export const mark = '[redacted]';

export function withoutPatterns(text: string): string {
  let bare = text;
  for (const { sign, looks, by } of patterns) {
    if (sign.test(bare)) bare = bare.replace(looks, by);
  }
  return bare;
}

interface Pattern {
  /** Every match contains it: a cheap test before the slow pattern. */
  readonly sign: RegExp;
  readonly looks: RegExp;
  readonly by: string;
}

/** Also after a JSON or URL escape, or a terminal color code. */
const begins = String.raw`(?:(?<![A-Za-z0-9_])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u[0-9A-Fa-f]{4})|(?<=\[[0-9;]{0,8}m))`;
const ends = '(?![A-Za-z0-9_])';

function word(sign: RegExp, looks: string): Pattern {
  return { sign, looks: new RegExp(`${begins}(?:${looks})`, 'g'), by: mark };
}

const patterns: readonly Pattern[] = [
  word(
    /sk-/,
    String.raw`sk-ant-[\w-]{10,}|sk-(?:proj|svcacct|admin|None|or-v1|lf)-[\w-]{20,}|sk-[A-Za-z0-9]{20,}${ends}`,
  ),
  word(/[sr]k_(?:live|test)_/, '[sr]k_(?:live|test)_[A-Za-z0-9]{16,}'),
  word(/gh[pousr]_|github_pat_/, String.raw`gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}`),
  word(/gl[a-z]{2,5}-/, String.raw`gl(?:pat|dt|rt|cbt|ptt|ft|oas|soat)-[\w-]{16,}`),
  word(/xox[abeprs]-|xapp-/, String.raw`xox[abeprs]-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{10,}`),
  word(/:AA/, String.raw`(?:bot)?\d{5,12}:AA[\w-]{30,}`),
  { sign: /\/bot\d/, looks: /(\/bot)\d{1,20}:[\w-]{8,}/g, by: `$1${mark}` },
  word(/A[KS]IA/, `A[KS]IA[A-Z0-9]{16}${ends}`),
  word(/AIza/, String.raw`AIza[\w-]{35}`),
  word(/npm_/, `npm_[A-Za-z0-9]{30,}${ends}`),
  // Dashes occur inside the token, and each would start a scan.
  word(/eyJ/, String.raw`(?<!-)eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}`),
  {
    sign: /aws_secret_access_key/i,
    looks: /(aws_secret_access_key\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)[A-Za-z0-9/+=]{40}/gi,
    by: `$1${mark}`,
  },
  {
    sign: /authorization|api-?key|private-token/i,
    looks:
      /((?:authorization|x-api-key|api-key|private-token)\\?["']?\s{0,3}[:=]\s{0,3}\\?["']?)(?:((?:bearer|basic|token|bot)\s{1,3})[\w.~+/=:-]{8,}|(?=[A-Za-z.~+/=:_-]{0,200}\d)[\w.~+/=:-]{16,})/gi,
    by: `$1$2${mark}`,
  },
  { sign: /bearer/i, looks: /\b(bearer\s{1,3})(?=[A-Za-z._~+/-]{0,200}\d)[\w.~+/-]{16,}=*/gi, by: `$1${mark}` },
  {
    sign: /:\/\//,
    looks: /(:\/\/[^\s/:@"'`<>\\]{0,100}:)(?![$<{[*%])[^\s/"'`<>\\]{1,256}@(?!sha\d{3}:)/g,
    by: `$1${mark}@`,
  },
];
