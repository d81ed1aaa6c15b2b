// Plays workflows of ten empty steps with a rival, alone and for many projects at once, and prints the rates as JSON.
// usage: node <rival>.mjs '{"url":"…","folder":"…","projects":100,"alone":10,"together":2}'

export const stepsEach = 10;

/**
 * @param {(given: { url: string, folder: string, projects: number }) => Promise<{
 *   settings: string,
 *   play: () => Promise<unknown>,
 *   close: () => Promise<unknown>,
 * }>} open `play` resolves when one workflow has run all its steps.
 */
export async function playRival(open) {
  const { alone, together, ...given } = JSON.parse(process.argv[2] ?? '{}');
  const { settings, play, close } = await open(given);
  const atOnce = () => Promise.all(Array.from({ length: given.projects }, play));
  await play();
  await atOnce();
  const rates = { alone: await rateOf(play, alone, 1), together: await rateOf(atOnce, together, given.projects) };
  await close();
  process.stdout.write(`${JSON.stringify({ settings, ...rates })}\n`);
  process.exit(0);
}

/** Steps a second. */
async function rateOf(round, rounds, projects) {
  const started = performance.now();
  for (let index = 0; index < rounds; index++) await round();
  return (projects * rounds * stepsEach * 1000) / (performance.now() - started);
}

/** Resolves each workflow by its id when its last step is told of. */
export function makeEnds() {
  const waiting = new Map();
  let last = 0;
  return {
    begin() {
      last += 1;
      const id = `w${last}`;
      return { id, ended: new Promise((resolve) => waiting.set(id, resolve)) };
    },
    end(id) {
      waiting.get(id)?.();
      waiting.delete(id);
    },
  };
}
