// What a client is ready to take. One that says nothing takes everything.
import { problem } from '../http/problem.js';

const maxAcceptChars = 2_000;

/** Why an answer of this type is not given; null: it is. */
export function notAccepted(accept: string | undefined, type: string): Response | null {
  if (accept === undefined || accept.trim() === '') return null;
  // Of what is too long to be meant, nothing is believed.
  if (accept.length > maxAcceptChars || takes(accept, type)) return null;
  return problem(406, 'bad_input', `Here is nothing but ${type}`, `Ask for it, or leave the header "Accept" out.`);
}

/** What is said of a type more exactly goes before what is said of many. */
function takes(accept: string, type: string): boolean {
  const ranges = new Map(accept.split(',').map(rangeOf));
  const [main = ''] = type.split('/');
  for (const range of [type, `${main}/*`, '*/*']) {
    const weight = ranges.get(range);
    if (weight !== undefined) return weight > 0;
  }
  return false;
}

function rangeOf(part: string): readonly [string, number] {
  const [range = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase());
  const weight = parameters.find((one) => one.startsWith('q='))?.slice(2);
  return [range, weight === undefined ? 1 : Number(weight)];
}
