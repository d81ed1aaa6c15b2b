// Words of the chat's commands: a project with such a name could not be told from the command. They come from the table
// of verbs, which config does not know: the command line hands them in before it reads the first config.yaml.
let reserved: ReadonlySet<string> = new Set();

export function reserveWords(words: ReadonlySet<string>): void {
  reserved = words;
}

export function isReserved(word: string): boolean {
  return reserved.has(word.toLowerCase());
}
