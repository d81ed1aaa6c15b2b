// Builds the inbox rows for Slack payloads.

import type { KnockAnswer } from '../../../../../config/index.js';
import type { InboundBody } from '../../../../../store/index.js';
import type { ParsedText } from '../../../../commands/message-context.js';
import type { News } from '../../../../commands/plan-report.js';
import type { InboundMessage } from '../../../../inbound/inbox-service.js';
import { inboxSource } from './thread-keys.js';

export interface Named {
  readonly key: string;
  readonly aliases?: readonly string[];
  readonly thread: string;
  readonly by: string | null;
}

export function saidAs(
  { key, aliases = [], thread, by }: Named,
  body: InboundBody,
  parsed?: ParsedText,
): InboundMessage {
  const said = { source: inboxSource, externalId: key, aliases, thread, by, cwd: '/', body };
  return parsed === undefined ? said : { ...said, parsed };
}

/** Posts `news` in its thread and triggers nothing; empty news only marks the key as known. */
export function toldAs(named: Named, news: string): InboundMessage {
  const args: News = { news, threads: news === '' ? [] : [named.thread], card: null, rings: false };
  return saidAs(named, { type: 'command', name: 'told', args });
}

export function codeFor({ code, isLast, isInvited }: KnockAnswer): string {
  if (isInvited) {
    return `This is the code that I gave out. Now say on the machine where Bosun lives that it is you: it asks there, or run\nbosun pair ${code}\nUntil then I do nothing here.`;
  }
  return [
    `I do not know you yet. Ask the owner to run:\nbosun pair ${code}`,
    'on the machine where Bosun lives, within an hour.',
    ...(isLast ? ['Until then I stay silent.'] : []),
  ].join('\n');
}

export const tooFast =
  'Too fast: I read twenty messages a minute of one person. This one and those that follow are not heard.';
