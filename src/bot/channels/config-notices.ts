import type { Log } from '../../base/index.js';
import type { Config, PersonConfig } from '../../config/index.js';
import { emptyPlan, ownersThreads, privateThreads } from '../../dispatch/index.js';
import type { NewMessage } from '../../store/index.js';
import { firstSentences } from '../commands/reading/first-words.js';
import type { BotServices } from '../services.js';
import { lines, personName, view } from '../views/view.js';

export interface ConfigNotices {
  /** `warn`: a refused version; `info`: valid again. */
  refused(news: string, level: 'info' | 'warn'): void;
  changed(): void;
}

export function configNotices({ runtime, config }: BotServices, log: Log): ConfigNotices {
  let known = accountsOf(config());
  /** One message per broken state, which later versions edit. */
  let brokenSince: number | null = null;
  const post = (make: (at: number) => readonly NewMessage[]) => {
    runtime
      .submit((now) => ({ ...emptyPlan, messages: make(now.at) }))
      .catch((error: unknown) => log(`config.yaml: ${String(error)}`, { level: 'error' }));
  };
  return {
    refused(news, level) {
      const isFirst = brokenSince === null;
      const since = brokenSince ?? Date.now();
      brokenSince = level === 'warn' ? since : null;
      const text = level === 'warn' ? `⚠️ ${news}` : `✅ ${news}`;
      const shown = { ...view('report', text), rings: level === 'warn' && isFirst };
      post((at) =>
        threadsOfAllOwners(config()).map((thread) => ({
          ...{ thread, run: null, interaction: null, at },
          card: `config:${since}`,
          view: shown,
        })),
      );
    },
    changed() {
      const now = config();
      const before = known;
      known = accountsOf(now);
      const welcomed = now.people.flatMap((person) =>
        privateThreads(now.channelKinds, person)
          .filter(({ thread }) => !before.has(thread))
          .map(({ thread }) => ({ thread, person })),
      );
      if (welcomed.length === 0) return;
      post((at) =>
        welcomed.map(({ thread, person }) => ({
          ...{ thread, run: null, interaction: null, card: null, at },
          view: welcome(config(), person),
        })),
      );
    },
  };
}

function accountsOf({ people, channelKinds }: Config): ReadonlySet<string> {
  return new Set(people.flatMap((person) => privateThreads(channelKinds, person).map(({ thread }) => thread)));
}

/** It concerns all projects, so only people who own each of them. */
function threadsOfAllOwners(config: Config): readonly string[] {
  const [first = [], ...others] = config.projects.map((project) => ownersThreads(config, project));
  return [...new Set(['local', ...first.filter((thread) => others.every((some) => some.includes(thread)))])];
}

function welcome({ projects }: Config, { name }: PersonConfig) {
  const own = projects.filter(({ members }) => members[name] !== undefined);
  const [first] = own;
  if (first === undefined) {
    const text = `You're in, ${personName(name)}, but no project has you as a member yet. The owner of this Bosun can add you.`;
    return { ...view('report', text), rings: true };
  }
  const roles = own.map((project) => `${project.members[name]} of ${project.name}`);
  const text = lines(
    `You're in: ${personName(name)}, ${roles.join(', ')}.`,
    'You can write, for example:',
    ...firstSentences(first.name),
  );
  const offers = [
    { label: `Continue ${first.name}`, says: `continue ${first.name}` },
    { label: 'Help', says: 'help' },
  ];
  return { ...view('report', text, offers), rings: true };
}
