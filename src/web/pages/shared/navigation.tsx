import type { Child } from 'hono/jsx';
import type { Who } from '../../../config/index.js';
import { Icon, type IconName } from './icons.js';
import { projectPath } from './paths.js';
import { lineOf } from './text.js';

export type NavigationPlace = keyof typeof places;

export interface Ways {
  readonly who: Who;
  /** The viewer may answer them. */
  readonly waiting: number;
  readonly projects: readonly string[];
  /** Projects in which the viewer may start work. */
  readonly startable: readonly string[];
  readonly project: string | null;
}

interface Way {
  readonly path: string;
  readonly label: string;
  readonly key: string;
  readonly isMore?: true;
  /** Owner only: it shows all projects. */
  readonly isOwners?: true;
}

const places = {
  home: { path: '/', label: 'Home', key: 'h' },
  inbox: { path: '/inbox', label: 'Inbox', key: 'i' },
  history: { path: '/history', label: 'History', key: 'r' },
  insights: { path: '/insights', label: 'Insights', key: 'n' },
  chat: { path: '/chat', label: 'Chat', key: 'c', isMore: true },
  workflows: { path: '/workflows', label: 'Workflows', key: 'w', isMore: true },
  costs: { path: '/costs', label: 'Costs', key: 'd', isMore: true },
  workers: { path: '/workers', label: 'Workers', key: 'k', isMore: true, isOwners: true },
  audit: { path: '/audit', label: 'Audit', key: 'a', isMore: true },
} as const satisfies Readonly<Record<string, Way>>;

export function placesOf(who: Who): readonly (readonly [string, Way])[] {
  const all: [string, Way][] = Object.entries(places);
  return all.filter(([, { isOwners = false }]) => !isOwners || who.kind === 'home-owner');
}

export function Brand({ isHeader = false }: { readonly isHeader?: boolean }) {
  const brand = (
    <a class="brand" href="/">
      <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
        <circle cx="12" cy="12" r="8" fill="none" stroke="currentColor" stroke-width="2" />
        <circle cx="12" cy="12" r="2.4" fill="currentColor" />
        <path d="M12 1v6M12 17v6M1 12h6M17 12h6" stroke="currentColor" stroke-width="2" stroke-linecap="round" />
      </svg>
      Bosun
    </a>
  );
  return isHeader ? <header class="top bare">{brand}</header> : brand;
}

interface BarProps {
  readonly place: NavigationPlace | null;
  readonly ways: Ways;
}

export function TopBar({ place, ways }: BarProps) {
  const all = placesOf(ways.who);
  const current = (name: string) => (name === place ? 'page' : undefined);
  const more = all.filter(([, { isMore }]) => isMore);
  return (
    <header class="top">
      <Brand />
      <nav class="ways" aria-label="Pages">
        {all
          .filter(([, { isMore }]) => !isMore)
          .map(([name, { path, label }]) => (
            <a href={path} aria-current={current(name)}>
              {label}
              {name === 'inbox' ? <Count id="waiting-top" count={ways.waiting} /> : null}
            </a>
          ))}
        <Menu id="menu-projects" label="Projects" isHere={ways.project !== null}>
          {ways.projects.length === 0 ? <span class="soft">No project yet</span> : null}
          {ways.projects.map((name) => (
            <a href={projectPath(name)} aria-current={name === ways.project ? 'page' : undefined}>
              {lineOf(name, 40)}
            </a>
          ))}
        </Menu>
        <Menu id="menu-more" label="More" isHere={more.some(([name]) => name === place)}>
          {more.map(([name, { path, label }]) => (
            <a href={path} aria-current={current(name)}>
              {label}
            </a>
          ))}
        </Menu>
      </nav>
      <search>
        <form class="find" action="/history">
          <Icon name="search" />
          <input type="search" name="q" maxlength={100} aria-label="Search runs" placeholder="Search" data-find />
          <kbd>/</kbd>
        </form>
      </search>
      {ways.startable.length === 0 ? null : (
        <a class="button first new-task" href="#new">
          <Icon name="plus" /> New task
        </a>
      )}
      <p id="link" class="link" data-state="ok" role="status">
        <span class="dot" aria-hidden="true"></span>
        <span class="word">Live</span>
      </p>
      <Account who={ways.who} />
    </header>
  );
}

function Menu({ id, label, isHere, children }: { id: string; label: string; isHere: boolean; children: Child }) {
  return (
    <details id={id} class="drop">
      <summary aria-current={isHere ? 'true' : undefined}>{label}</summary>
      <div class="menu">{children}</div>
    </details>
  );
}

function Account({ who }: { readonly who: Who }) {
  const name = who.kind === 'home-owner' ? 'Owner' : lineOf(who.name, 40);
  return (
    <details id="account" class="drop me">
      <summary>
        <span class="face" aria-hidden="true">
          {[...name.toUpperCase()][0]}
        </span>
        <span class="hidden">Account</span>
      </summary>
      <div class="menu">
        <span class="soft">{name}</span>
        <button type="button" class="plain" data-opens="keys">
          Keyboard shortcuts
        </button>
        <form class="leave" method="post" action="/logout" data-act="logout">
          <button type="submit" class="plain">
            Log out
          </button>
        </form>
      </div>
    </details>
  );
}

/** A change of the count alone does not refresh a page. */
function Count({ id, count }: { readonly id: string; readonly count: number }) {
  return (
    <span id={id} data-live="beside">
      {count === 0 ? null : (
        <>
          <span class="count" aria-hidden="true">
            {count > 99 ? '99+' : count}
          </span>
          <span class="hidden">, {count} for you</span>
        </>
      )}
    </span>
  );
}

export function FootBar({ place, ways }: BarProps) {
  const way = (name: 'home' | 'inbox' | 'history', icon: IconName) => (
    <a href={places[name].path} aria-current={name === place ? 'page' : undefined}>
      <Icon name={icon} />
      {places[name].label}
      {name === 'inbox' ? <Count id="waiting-foot" count={ways.waiting} /> : null}
    </a>
  );
  return (
    <nav class="footbar" aria-label="Main pages">
      {way('home', 'home')}
      {way('inbox', 'inbox')}
      <a class="new" href={ways.startable.length === 0 ? '/chat' : '#new'}>
        <Icon name="plus" />
        New task
      </a>
      {way('history', 'clock')}
      <details id="menu-foot" class="drop">
        <summary>
          <Icon name="more" />
          More
        </summary>
        <div class="menu">
          {ways.projects.map((name) => (
            <a href={projectPath(name)}>{lineOf(name, 40)}</a>
          ))}
          {placesOf(ways.who)
            .filter(([name, { isMore }]) => isMore || name === 'insights')
            .map(([, { path, label }]) => (
              <a href={path}>{label}</a>
            ))}
        </div>
      </details>
    </nav>
  );
}

/** Opens as `#new`, even without script; sends chat words. */
export function NewTask({ ways: { startable, project } }: { readonly ways: Ways }) {
  if (startable.length === 0) return null;
  return (
    <section class="sheet" id="new" aria-labelledby="new-title">
      <form class="box" method="post" action="/api/say" data-act="task">
        <div class="headline">
          <h2 id="new-title">New task</h2>
          <a class="icon" href="#main" data-close>
            <Icon name="x" />
            <span class="hidden">Close</span>
          </a>
        </div>
        <label for="new-task">
          What should be done?
          <textarea id="new-task" name="text" rows={3} maxlength={20_000}></textarea>
        </label>
        <div class="two-up">
          <label for="new-project">
            Project
            <select id="new-project" name="project">
              {startable.map((name) => (
                <option value={lineOf(name, 200)} selected={name === project}>
                  {lineOf(name, 60)}
                </option>
              ))}
            </select>
          </label>
          <label for="new-workflow">
            Workflow
            <select id="new-workflow" name="workflow">
              <option value="">The project's own</option>
            </select>
          </label>
        </div>
        <p class="soft num" id="new-outlook" role="status"></p>
        <p class="soft">Bosun proposes the steps; you press Start.</p>
        <div class="buttons">
          <button type="submit" class="first">
            Propose
          </button>
          <button type="submit" name="place" value="first" class="line" hidden>
            Run first
          </button>
          <a class="button ghost" href="#main" data-close>
            Cancel
          </a>
        </div>
      </form>
    </section>
  );
}
