import { isMap, isSeq } from 'yaml';
import { editConfig, type Home, keepText, keptText, mapAt } from '../../../../config/index.js';

export interface BoundTopic {
  readonly chat: string;
  readonly topic: number;
  /** The new topic replaces it. */
  readonly before: number | null;
}

export function bindTopic(home: Home, project: string, { chat, topic, before }: BoundTopic): void {
  editConfig(home, process.env, (document) => {
    const settings = mapAt(document, ['projects', project]);
    const chats: unknown = settings.get('chats');
    if (!isSeq(chats)) {
      settings.set('chats', document.createNode([{ telegram: Number(chat), topic }]));
      return;
    }
    const old = chats.items.find(
      (one) => isMap(one) && String(one.get('telegram')) === chat && String(one.get('topic')) === String(before),
    );
    if (isMap(old)) old.set('topic', topic);
    else chats.add(document.createNode({ telegram: Number(chat), topic }));
  });
}

const kept = 'telegram-topics';
const maxKept = 40;

export function keptTopics(home: Home) {
  const lines = () => (keptText(home, kept) ?? '').split('\n').filter((line) => /^-\d+ \S+ \d+$/.test(line));
  const others = (chat: string, project: string) => lines().filter((line) => !line.startsWith(`${chat} ${project} `));
  const write = (all: readonly string[]) => keepText(home, kept, all.slice(-maxKept).join('\n'));
  return {
    of(chat: string, project: string): number | null {
      const line = lines().find((one) => one.startsWith(`${chat} ${project} `));
      return line === undefined ? null : Number(line.split(' ')[2]);
    },
    keep: (chat: string, project: string, topic: number) =>
      write([...others(chat, project), `${chat} ${project} ${topic}`]),
    forget(chat: string, project: string) {
      const rest = others(chat, project);
      if (rest.length < lines().length) write(rest);
    },
  };
}
