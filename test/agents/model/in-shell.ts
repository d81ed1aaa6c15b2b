import type { Deed } from './talk.js';

/** The same with a shell line. */
export function inShell(move: Deed): string {
  switch (move.do) {
    case 'run':
      return move.command;
    case 'read':
      return `cat '${move.path}'`;
    case 'write':
      return `mkdir -p "$(dirname '${move.path}')" && cat > '${move.path}' <<'END_OF_FILE'\n${move.text.replace(/\n$/, '')}\nEND_OF_FILE`;
  }
}
