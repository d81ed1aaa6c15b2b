// Security: a non-owner's projects and thread. Covers every method of the reader, so pages and routes need no checks.
import { BosunError } from '../../base/index.js';
import type { DaySpent, HomeReader, Message } from '../../store/index.js';

export interface Visibility {
  readonly projects: () => ReadonlySet<string>;
  readonly thread: string;
}

/** Rows that the permission filter may skip per response. */
const mostPassedOver = 5_000;
const mostRemembered = 10_000;
/** Scanned over all threads, for one person's own. */
const mostSaid = 1_000;
/** Per project; no page asks for more. */
const mostDays = 1_000;

export function visibleReader(reader: HomeReader, { projects, thread: own }: Visibility): HomeReader {
  const seesProject = (name: string | undefined) => name !== undefined && projects().has(name);
  const projectOf = remembered((run) => reader.run(run)?.project);
  const seesRun = (run: string) => seesProject(projectOf(run));
  // All who may read a run see its messages, in any thread.
  const seesMessage = (message: Message) => message.thread === own || (message.run !== null && seesRun(message.run));
  const ofRun = <T, R>(run: string, read: () => T, none: R): T | R => (seesRun(run) ? read() : none);
  /** Null: all visible projects. */
  const named = (project: string | null) => [...projects()].filter((name) => project === null || name === project);
  const byNumber = (a: { readonly id: string }, b: { readonly id: string }) => numberOf(b.id) - numberOf(a.id);

  return {
    homeId: reader.homeId,
    path: reader.path,
    spine: (run) => ofRun(run, () => reader.spine(run), null),
    chain: (run, key) => ofRun(run, () => reader.chain(run, key), null),
    run: (id) => ofRun(id, () => reader.run(id), null),
    liveRuns: (project) =>
      named(project)
        .flatMap((name) => reader.liveRuns(name))
        .sort((a, b) => byNumber(b, a)),
    failedRuns: (project) => named(project).flatMap((name) => reader.failedRuns(name)),
    drafts: (project) => named(project).flatMap((name) => reader.drafts(name)),
    unfinishedRuns: () => reader.unfinishedRuns().filter(({ project }) => seesProject(project)),
    activeRuns: () => reader.activeRuns().filter(({ project }) => seesProject(project)),
    runs: (project, limit, before) =>
      named(project)
        .flatMap((name) => reader.runs(name, limit, before))
        .sort(byNumber)
        .slice(0, limit),
    nodes: (run) => ofRun(run, () => reader.nodes(run), []),
    attempt(id) {
      const row = reader.attempt(id);
      return row !== null && seesRun(row.run) ? row : null;
    },
    attempts: (run, node) => ofRun(run, () => reader.attempts(run, node), []),
    attemptsOfRun: (run, limit) => ofRun(run, () => reader.attemptsOfRun(run, limit), []),
    openAttempts: () => reader.openAttempts().filter(({ run }) => seesRun(run)),
    interaction(id) {
      const found = reader.interaction(id);
      return found !== null && seesRun(found.run) ? found : null;
    },
    openInteractions: (project) =>
      named(project)
        .flatMap((name) => reader.openInteractions(name))
        .sort((a, b) => a.interaction.openedAt - b.interaction.openedAt),
    events: (run, after, limit) => ofRun(run, () => reader.events(run, after, limit), []),
    newestEvents: (run, limit) => ofRun(run, () => reader.newestEvents(run, limit), []),
    records: (run, chain) => ofRun(run, () => reader.records(run, chain), []),
    spending: (project, at, zone) => reader.spending(seesProject(project) ? project : '', at, zone),
    costsOfRun: (run) => ofRun(run, () => reader.costsOfRun(run), []),
    thread: (id) => (id === own ? reader.thread(id) : null),
    placed: (id) => (id === own ? reader.placed(id) : null),
    followers: (run) => ofRun(run, () => reader.followers(run), []),
    message(id) {
      const found = reader.message(id);
      return found !== null && seesMessage(found) ? found : null;
    },
    messages: (thread, after, limit) => (thread === own ? reader.messages(thread, after, limit) : []),
    recent: (thread, limit) => (thread === own ? reader.recent(thread, limit) : []),
    cardMessage(thread, card) {
      const found = reader.cardMessage(thread, card);
      return found !== null && seesMessage(found) ? found : null;
    },
    asking: (interaction) => reader.asking(interaction).filter(seesMessage),
    browsing: browsingSeenBy(reader, { named, seesRun, seesProject, seesMessage, own }),
    pages: pagesSeenBy(reader, seesRun, seesProject),
    counts: countsSeenBy(reader, seesProject),
    auditBreak: refuse,
    auditWalk: refuse,
  };
}

interface Seeing {
  readonly named: (project: string | null) => readonly string[];
  readonly seesRun: (run: string) => boolean;
  readonly seesProject: (project: string | undefined) => boolean;
  readonly seesMessage: (message: Message) => boolean;
  readonly own: string;
}

/** A run's project never changes. */
function remembered(find: (run: string) => string | undefined): (run: string) => string | undefined {
  const known = new Map<string, string>();
  return (run) => {
    const project = known.get(run) ?? find(run);
    if (known.size >= mostRemembered) known.clear();
    if (project !== undefined) known.set(run, project);
    return project;
  };
}

function browsingSeenBy(
  { browsing }: HomeReader,
  { named, seesRun, seesProject, seesMessage, own }: Seeing,
): HomeReader['browsing'] {
  return {
    // Totals reveal activity, but no content.
    newestSeq: () => browsing.newestSeq(),
    newestMessage: () => browsing.newestMessage(),
    openInteractions: (project, limit) =>
      named(project)
        .flatMap((name) => browsing.openInteractions(name, limit))
        .sort((a, b) => a.interaction.openedAt - b.interaction.openedAt)
        .slice(0, limit),
    countOpen: (project) => named(project).reduce((sum, name) => sum + browsing.countOpen(name), 0),
    oldestOpen: (run) => (seesRun(run) ? browsing.oldestOpen(run) : null),
    liveRuns: (project, limit) => (seesProject(project) ? browsing.liveRuns(project, limit) : []),
    runsAtWork(project, limit) {
      const found = [...named(project)].sort().map((name) => browsing.runsAtWork(name, limit));
      const runs = found.flatMap((one) => one.runs).slice(0, limit);
      return { runs, count: found.reduce((sum, { count }) => sum + count, 0) };
    },
    runningAttempts: (limit) => browsing.runningAttempts(limit).filter(({ run }) => seesRun(run)),
    runs: (filter) =>
      named(filter.project)
        .flatMap((project) => browsing.runs({ ...filter, project }))
        .sort((a, b) => numberOf(b.id) - numberOf(a.id))
        .slice(0, filter.limit),
    searchRuns(filter) {
      const found = named(filter.project).map((project) => browsing.searchRuns({ ...filter, project }));
      const all = found.flatMap(({ runs }) => runs).sort((a, b) => b.number - a.number);
      const cut = all.length > filter.limit ? (all[filter.limit - 1]?.number ?? 0) : 0;
      // No project has unread rows above this.
      const next = Math.max(cut, ...found.map((one) => one.next ?? 0));
      return { runs: all.filter(({ number }) => number >= next), next: next === 0 ? null : next };
    },
    newestAttempts: (run, limit) => (seesRun(run) ? browsing.newestAttempts(run, limit) : []),
    chainNodes: (run, chain, from, limit) => (seesRun(run) ? browsing.chainNodes(run, chain, from, limit) : []),
    chainLength: (run, chain) => (seesRun(run) ? browsing.chainLength(run, chain) : { count: 0, over: 0 }),
    nodeName: (run, node) => (seesRun(run) ? browsing.nodeName(run, node) : null),
    nodeLabel: (run, node) => (seesRun(run) ? browsing.nodeLabel(run, node) : null),
    countEvents: (run) => (seesRun(run) ? browsing.countEvents(run) : 0),
    nthEvent: (run, n) => (seesRun(run) ? browsing.nthEvent(run, n) : null),
    settledEvent: (run, attempt, endedAt) => (seesRun(run) ? browsing.settledEvent(run, attempt, endedAt) : null),
    byPeople(by, before, limit) {
      let from = before;
      for (let passed = 0; passed < mostPassedOver; passed += limit) {
        const found = browsing.byPeople(by, from, limit);
        const events = found.events.filter(({ event }) => seesRun(event.run));
        if (events.length > 0 || found.next === null) return { events, next: found.next };
        from = found.next;
      }
      return { events: [], next: from };
    },
    spentByDay: (filter) =>
      named(filter.project)
        .flatMap((project) => browsing.spentByDay({ ...filter, project }))
        .sort((a, b) => (a.day === b.day ? byName(a.project, b.project) : byName(a.day, b.day)))
        .slice(0, filter.limit),
    spentOnDays(from) {
      const days = new Map<string, Omit<DaySpent, 'project'>>();
      for (const project of named(null))
        for (const { day, ...sum } of browsing.spentByDay({ project, from, after: null, limit: mostDays })) {
          const { usd, tokensIn, tokensOut } = days.get(day) ?? { usd: 0, tokensIn: 0, tokensOut: 0 };
          const together = {
            usd: usd + sum.usd,
            tokensIn: tokensIn + sum.tokensIn,
            tokensOut: tokensOut + sum.tokensOut,
          };
          days.set(day, { day, ...together });
        }
      return [...days.values()].sort((a, b) => byName(a.day, b.day));
    },
    spentSince: (from) => browsing.spentSince(from).filter(({ project }) => seesProject(project)),
    posts(thread, before, limit) {
      const seen: ReturnType<typeof browsing.posts>[number][] = [];
      let from = before;
      for (let passed = 0; passed < mostPassedOver; passed += limit) {
        const found = browsing.posts(thread, from, limit);
        seen.unshift(...found.filter(({ message }) => seesMessage(message)));
        from = found[0]?.root ?? null;
        if (seen.length >= limit || found.length < limit) break;
      }
      return seen.slice(-limit);
    },
    messagesWith(filter) {
      const { messages, next } = browsing.messagesWith(filter);
      return { messages: messages.filter(seesMessage), next };
    },
    saidWith: (words, limit) =>
      browsing
        .saidWith(words, mostSaid)
        .filter(({ thread }) => thread === own)
        .slice(0, limit),
    saidIn: (thread, span, limit) => (thread === own ? browsing.saidIn(thread, span, limit) : []),
  };
}

function pagesSeenBy(
  { pages }: HomeReader,
  seesRun: Seeing['seesRun'],
  seesProject: Seeing['seesProject'],
): HomeReader['pages'] {
  return {
    attemptsAfter: (run, attempt, limit) => (seesRun(run) ? pages.attemptsAfter(run, attempt, limit) : []),
    openAfter(id, limit) {
      const seen: ReturnType<typeof pages.openAfter>[number][] = [];
      let last = id;
      for (;;) {
        const found = pages.openAfter(last, limit);
        seen.push(...found.filter(({ project }) => seesProject(project)));
        last = found.at(-1)?.interaction.id ?? last;
        if (seen.length >= limit || found.length < limit) return seen.slice(0, limit);
      }
    },
    nodePlaces: (run) => (seesRun(run) ? pages.nodePlaces(run) : []),
    nodesNamed: (run, ids) => (seesRun(run) ? pages.nodesNamed(run, ids) : []),
    chainBegin: (run, chain, limit) => (seesRun(run) ? pages.chainBegin(run, chain, limit) : null),
    chainBefore: (run, chain, node) => (seesRun(run) ? pages.chainBefore(run, chain, node) : null),
  };
}

function countsSeenBy({ counts }: HomeReader, seesProject: Seeing['seesProject']): HomeReader['counts'] {
  const seen = <T extends { readonly project: string }>(all: readonly T[]) =>
    all.filter(({ project }) => seesProject(project));
  return {
    unfinishedRuns: () => seen(counts.unfinishedRuns()),
    attempts: () => seen(counts.attempts()),
    interactions: () => seen(counts.interactions()),
    spent: () => seen(counts.spent()),
    inbox: refuse,
    blockedLanes: refuse,
  };
}

export function refuse(): never {
  throw new BosunError('not_allowed', 'Only the owner of this Bosun may do that', { hint: 'Ask the owner.' });
}

function byName(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function numberOf(run: string): number {
  return Number(run.slice(1));
}
