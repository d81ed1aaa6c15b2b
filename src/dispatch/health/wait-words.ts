// Words for what no present worker can do.

import { homeDisk } from '../../queue/index.js';
import type { LackWords } from '../plans/presenter.js';

/** `lacking`: what those who are there cannot do, null where nobody is there; the words are null where nothing lacks. */
export function lackWords(lacking: readonly string[] | null, isElsewhere: boolean): LackWords | null {
  if (lacking === null) return isElsewhere ? nobody : nobodyHere;
  if (lacking.length === 0) return null;
  const others = lacking.filter((need) => need !== homeDisk);
  const parts = [
    others.length === lacking.length ? '' : 'has the disk of the home',
    others.length === 0 ? '' : `can do ${others.join(' and ')}`,
  ].filter((part) => part !== '');
  return {
    what: `a worker that ${parts.join(' and ')}`,
    why: 'none that gives a sign does',
    start: ['bosun worker', ...others.map((need) => `--can ${need}`)].join(' '),
  };
}

const nobody: LackWords = { what: 'a worker', why: 'none gives a sign', start: 'bosun worker' };
const nobodyHere: LackWords = { what: 'a worker', why: 'this Bosun runs none', start: 'bosun up without --no-worker' };
