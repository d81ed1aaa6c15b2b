// What was opened is closed when all tests of a file are over, the last one first: they play beside each other.
import { cleanUpAfterEachFile } from '../../clean-up.js';

const ends: (() => Promise<void> | void)[] = [];

export function atEnd(act: () => Promise<void> | void): void {
  ends.push(act);
}

cleanUpAfterEachFile(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
