// What a page or an answer is made of, for whom it is made. Whoever owns the home sees all of it; anybody else sees the
// projects that he has a role in, and the rest is not there for him: not even that it is.

import { BosunError } from '../../base/index.js';
import { type Config, memberRole } from '../../config/index.js';
import type { Runtime } from '../../dispatch/index.js';
import { Etags } from '../context/etags.js';
import type { WebContext } from '../context/web-context.js';
import type { Caller } from './caller.js';
import { type Visibility, visibleStore } from './visible-store.js';

export class VisibleContexts {
  readonly #whole: WebContext;
  /** Bounded by the people that the configuration names. */
  readonly #ofPeople = new Map<string, WebContext>();

  constructor(whole: WebContext) {
    this.#whole = whole;
  }

  seenBy(caller: Caller): WebContext {
    return caller.kind === 'session' && caller.as !== null ? this.#ofPerson(caller.as) : this.#whole;
  }

  #ofPerson(name: string): WebContext {
    const known = this.#ofPeople.get(name) ?? siteSeenBy(this.#whole, name);
    this.#ofPeople.set(name, known);
    return known;
  }
}

/** Where a person talks on the page; the owner's own is just "web". */
export function webThreadOf({ who }: Pick<WebContext, 'who'>): string {
  return who.kind === 'home-owner' ? 'web' : `web-${who.name}`;
}

function siteSeenBy(whole: WebContext, name: string): WebContext {
  const who = { kind: 'person', name } as const;
  const seen = configSeenBy(whole.services.config, name);
  const runtime = roomSeenBy(whole.services.runtime, { projects: () => seen().names, thread: webThreadOf({ who }) });
  return { ...whole, who, tags: new Etags(), services: { ...whole.services, config: () => seen().config, runtime } };
}

interface Seen {
  readonly config: Config;
  readonly names: ReadonlySet<string>;
}

/** The same as long as the whole one is the same, so that whoever compares sees whether it changed. */
function configSeenBy(whole: () => Config, person: string): () => Seen {
  const known = new WeakMap<Config, Seen>();
  return () => {
    const all = whole();
    const projects = all.projects.filter((project) => memberRole(project, person) !== null);
    const seen = known.get(all) ?? { config: { ...all, projects }, names: new Set(projects.map(({ name }) => name)) };
    known.set(all, seen);
    return seen;
  };
}

/** Saying and pressing go through the door, which knows who may do what; the rest of what acts is not there. */
export function roomSeenBy(runtime: Runtime, sight: Visibility): Runtime {
  const store = visibleStore(runtime.store, sight);
  return {
    store,
    get isWorking() {
      return runtime.isWorking;
    },
    lastSign: (attempt) => (store.attempt(attempt) === null ? null : runtime.lastSign(attempt)),
    waitsFor: (attempt) => (store.attempt(attempt) === null ? null : runtime.waitsFor(attempt)),
    whenAtRest: (project, timeoutMs, signal) => runtime.whenAtRest(project, timeoutMs, signal),
    onMessages: (listen) =>
      runtime.onMessages((messages) => {
        const seen = messages.filter(({ id }) => store.message(id) !== null);
        if (seen.length > 0) listen(seen);
      }),
    redact: (text) => runtime.redact(text),
    // Whose agents run where is the operators' business, and tells of all projects.
    workers: () => [],
    queueState: () => ({ offered: 0, problem: runtime.queueState().problem }),
    queueView: refuse,
    get writeState() {
      return runtime.writeState;
    },
    broken: runtime.broken,
    submit: refuse,
    keep: refuse,
    patient: refuse,
    recover: refuse,
    startWorker: refuse,
    onCommits: refuse,
    onWants: refuse,
    readHandReport: refuse,
    claimOutside: refuse,
    settleOutside: refuse,
    askPerson: refuse,
    noteProgress: refuse,
    close: refuse,
  };
}

function refuse(): never {
  throw new BosunError('not_allowed', 'That is for whoever owns this Bosun');
}
