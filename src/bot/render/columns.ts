const noColumn = /\p{M}|\p{Cf}|\p{Variation_Selector}/u;
const twoColumns =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

export function columnsOf(text: string): number {
  let columns = 0;
  for (const char of text) columns += noColumn.test(char) ? 0 : twoColumns.test(char) ? 2 : 1;
  return columns;
}

export function cut(text: string, width: number): string {
  if (columnsOf(text) <= width) return text;
  let kept = '';
  for (const char of text) {
    if (columnsOf(kept + char) > width - 1) break;
    kept += char;
  }
  return `${kept.trimEnd()}…`;
}

/** Indents further lines; a long word stays whole. */
export function wrap(text: string, width: number): readonly string[] {
  if (columnsOf(text) <= width) return [text];
  const head = /^(?:[…!#✓✗] )? */.exec(text)?.[0] ?? '';
  const lines: string[] = [];
  let line = '';
  for (const word of text.slice(head.length).split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && head.length + columnsOf(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line].map((one, index) => `${index === 0 ? head : ' '.repeat(head.length)}${one}`.trimEnd());
}
