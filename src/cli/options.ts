import { type Command, InvalidArgumentError } from 'commander';

/** Agents are slow; --timeout may ask for more. */
const defaultTimeoutS = 24 * 60 * 60;
/** A running Bosun accepts no longer wait. */
const maxTimeoutS = 7 * 24 * 60 * 60;

export function seconds(said: string): number {
  const value = /^\d+(\.\d+)?$/.test(said) ? Number(said) : Number.NaN;
  if (value <= maxTimeoutS) return value;
  throw new InvalidArgumentError(`It must be a number of seconds, at most ${maxTimeoutS}.`);
}

export function port(said: string): number {
  const value = wholeNumber(said);
  if (value <= 65_535) return value;
  throw new InvalidArgumentError('It must be a port from 0 to 65535.');
}

export function wholeNumber(said: string): number {
  if (/^\d{1,15}$/.test(said)) return Number(said);
  throw new InvalidArgumentError('It must be a whole number.');
}

/** 16: a workflow's limit for parallel stories. */
export function agentCount(said: string): number {
  const value = wholeNumber(said);
  if (value >= 1 && value <= 16) return value;
  throw new InvalidArgumentError('It must be a number of agents from 1 to 16.');
}

export function keyAndValue(said: string, before: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const [, key, value] = /^([A-Za-z_][\w.-]{0,199})=([\s\S]*)$/.exec(said) ?? [];
  if (key === undefined || value === undefined) throw new InvalidArgumentError('It must be key=value.');
  return { ...before, [key]: value };
}

/** `--context a=1,b=2`: a comma starts a pair only before a key and `=`. */
export function keysAndValues(
  said: string,
  before: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return said.split(/,(?=[A-Za-z_][\w.-]*=)/).reduce((pairs, pair) => keyAndValue(pair, pairs), before);
}

export function gathered(said: string, before: readonly string[]): readonly string[] {
  return [...before, said];
}

export interface SpeakOptions {
  readonly as?: string;
  readonly thread: string;
  readonly wait?: true;
  readonly timeout: number;
  readonly json?: true;
}

export function speakOptions(command: Command): Command {
  return command
    .option('--as <user>', 'the person who speaks: one of people, or a member of a project')
    .option('--thread <id>', 'the thread to speak in', 'local')
    .option('--wait', 'wait until the project is at rest')
    .option('--timeout <s>', 'maximum time to wait, in seconds', seconds, defaultTimeoutS)
    .option('--json', 'one JSON object per message');
}
