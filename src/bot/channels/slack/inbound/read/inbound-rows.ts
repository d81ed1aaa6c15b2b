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

/** Only posts `news`; empty news just marks the key as known. */
export function toldAs(named: Named, news: string): InboundMessage {
  const args: News = { news, threads: news === '' ? [] : [named.thread], card: null, rings: false };
  return saidAs(named, { type: 'command', name: 'told', args });
}
