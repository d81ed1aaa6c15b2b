export function cutAtWord(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = text.slice(0, max);
  const space = head.search(/\s\S*$/);
  // A single word may fill half the room.
  return `${head.slice(0, space > max / 2 ? space : max - 1).trimEnd()}…`;
}
