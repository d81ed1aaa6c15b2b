// What git and others print may hold the address of a remote, and in it a password or a token.

/** Addresses without the part that says who one is. */
export function withoutCredentials(text: string): string {
  return text.replace(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/'"]*@/gi, '$1');
}
