// Plain characters, nothing special to forms or file systems.

const maxChars = 60;
const maxEndingChars = 10;

export function safeFileName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? '';
  const plain = last
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._ -]+/gu, '_')
    .replace(/\s+/g, ' ')
    .replace(/\.{2,}/g, '.')
    .replace(/^[. _-]+|[. ]+$/gu, '');
  if (plain === '') return 'file.txt';
  const chars = [...plain];
  if (chars.length <= maxChars) return plain;
  const ending = new RegExp(`\\.[\\p{L}\\p{N}]{1,${maxEndingChars}}$`, 'u').exec(plain)?.[0] ?? '';
  return `${chars
    .slice(0, maxChars - [...ending].length)
    .join('')
    .replace(/[. ]+$/, '')}${ending}`;
}
