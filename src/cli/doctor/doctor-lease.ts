// The doctor's look at who is the active Bosun, where there may be several machines.
import { checkConfig } from '../../config/index.js';
import { lookAtLease } from '../../dispatch/index.js';
import type { Cli } from '../command-context.js';
import { doubtful, type Finding, fine } from './finding.js';

export async function checkLease({ home, shell }: Cli): Promise<readonly Finding[]> {
  const reading = checkConfig(home, shell.env);
  const seen = reading.kind === 'good' ? await lookAtLease(reading.config, home) : null;
  if (seen === null) return [];
  const { holder, epoch, ownEpoch, isBehind } = seen;
  const text = `${holder ?? 'nobody'} has it; epoch ${epoch}, the database here is of epoch ${ownEpoch}`;
  if (!isBehind) return [fine('lease', text)];
  const mend = 'On a standby that is as it should be. Else fetch the newer database, or start with --take-over.';
  return [doubtful('lease', `${text} and was left behind`, mend)];
}
