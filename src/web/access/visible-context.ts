// Security: the owner sees everything; others only projects in which they have a role, and cannot tell that others
// exist.

import { type Config, memberRole } from '../../config/index.js';
import { Etags } from '../context/etags.js';
import type { WebContext, WebRuntime } from '../context/web-context.js';
import type { Caller } from './caller.js';
import { refuse, type Visibility, visibleReader } from './visible-store.js';

export class VisibleContexts {
  readonly #whole: WebContext;
  /** Bounded by the people in the configuration. */
  readonly #ofPeople = new Map<string, WebContext>();

  constructor(whole: WebContext) {
    this.#whole = whole;
  }

  seenBy(caller: Caller): WebContext {
    return caller.kind === 'session' && caller.as !== null ? this.#ofPerson(caller.as) : this.#whole;
  }

  #ofPerson(name: string): WebContext {
    const known = this.#ofPeople.get(name) ?? visibleContext(this.#whole, name);
    this.#ofPeople.set(name, known);
    return known;
  }
}

export function webThreadOf({ who }: Pick<WebContext, 'who'>): string {
  return who.kind === 'home-owner' ? 'web' : `web-${who.name}`;
}

function visibleContext(whole: WebContext, name: string): WebContext {
  const who = { kind: 'person', name } as const;
  const seen = visibleConfig(whole.services.config, name);
  const runtime = visibleRuntime(whole.services.runtime, {
    projects: () => seen().names,
    thread: webThreadOf({ who }),
  });
  return { ...whole, who, tags: new Etags(), services: { ...whole.services, config: () => seen().config, runtime } };
}

interface Seen {
  readonly config: Config;
  readonly names: ReadonlySet<string>;
}

/** Returns the same object while unchanged: callers compare identity. */
function visibleConfig(whole: () => Config, person: string): () => Seen {
  const known = new WeakMap<Config, Seen>();
  return () => {
    const all = whole();
    const projects = all.projects.filter((project) => memberRole(project, person) !== null);
    const seen = known.get(all) ?? { config: { ...all, projects }, names: new Set(projects.map(({ name }) => name)) };
    known.set(all, seen);
    return seen;
  };
}

/** Security: people act only through messages and buttons, which check rights; every other acting method is refused. */
export function visibleRuntime(runtime: WebRuntime, sight: Visibility): WebRuntime {
  const reader = visibleReader(runtime.reader, sight);
  return {
    reader,
    get isWorking() {
      return runtime.isWorking;
    },
    lastSign: (attempt) => (reader.attempt(attempt) === null ? null : runtime.lastSign(attempt)),
    waitsFor: (attempt) => (reader.attempt(attempt) === null ? null : runtime.waitsFor(attempt)),
    whenAtRest: (project, timeoutMs, signal) => runtime.whenAtRest(project, timeoutMs, signal),
    onMessages: (listen) =>
      runtime.onMessages((messages) => {
        const seen = messages.filter(({ id }) => reader.message(id) !== null);
        if (seen.length > 0) listen(seen);
      }),
    redact: (text) => runtime.redact(text),
    // Workers serve all projects: owner only.
    workers: () => [],
    queueState: () => ({ offered: 0, problem: runtime.queueState().problem }),
    queueView: refuse,
    get writeState() {
      return runtime.writeState;
    },
    submit: refuse,
    keep: refuse,
    patient: refuse,
    onCommits: refuse,
    onWants: refuse,
    readHandReport: refuse,
    claimOutside: refuse,
    settleOutside: refuse,
    askPerson: refuse,
    nextWords: refuse,
    noteProgress: refuse,
    isActive: () => runtime.isActive(),
    checkFile: refuse,
    get inbox(): never {
      return refuse();
    },
    get deliveries(): never {
      return refuse();
    },
  };
}
