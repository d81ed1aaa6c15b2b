// Plain, JSON, URL, and base64 at any offset.

/** Shorter secrets would match everywhere. */
const leastChars = 7;
const maxChars = 20_000;
const maxSpellings = 4_000;
/** A line this long counts as a secret by itself. */
const leastLineChars = 16;

/** Longest first, to win. */
export function spellingsOf(secrets: readonly string[]): readonly string[] {
  const all = new Set(secrets.flatMap(partsOf).flatMap(spelled));
  return [...all].sort((one, other) => other.length - one.length).slice(0, maxSpellings);
}

/** Output arrives by line. */
function partsOf(secret: string): readonly string[] {
  const whole = secret.trim();
  if (whole.length < leastChars || whole.length > maxChars) return [];
  const lines = whole.split('\n').map((line) => line.trim());
  return lines.length === 1 ? [whole] : [whole, ...lines.filter((line) => line.length >= leastLineChars)];
}

function spelled(text: string): readonly string[] {
  const inJson = JSON.stringify(text).slice(1, -1);
  const inSlashedJson = inJson.replaceAll('/', '\\/');
  const inAddress = inUri(text);
  return [
    text,
    inJson,
    inSlashedJson,
    JSON.stringify(inJson).slice(1, -1),
    inAddress,
    inAddress.replaceAll('%20', '+'),
    inAddress.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    ...inBase64(text),
  ].filter((one) => one.length >= leastChars);
}

function inUri(text: string): string {
  try {
    return encodeURIComponent(text).replaceAll(
      /[!'()*]/g,
      (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  } catch {
    return text;
  }
}

/** One spelling per offset modulo 3, without characters that also encode neighbours. */
function inBase64(text: string): readonly string[] {
  const bytes = Buffer.from(text, 'utf8');
  const whole = bytes.toString('base64');
  const within = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '');
    const isWholeGroup = (before + bytes.length) % 3 === 0;
    return encoded.slice(before === 0 ? 0 : before + 1, isWholeGroup ? undefined : -1);
  });
  const plain = [whole, whole.replaceAll('=', ''), ...within];
  return [...plain, ...plain.map((one) => one.replaceAll('+', '-').replaceAll('/', '_'))];
}
