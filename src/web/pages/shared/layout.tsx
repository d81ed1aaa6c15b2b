// The layout of every page: navigation, shortcuts and security headers.
import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';
import type { Who } from '../../../config/index.js';
import { webThreadOf } from '../../access/visible-context.js';
import { assets } from './assets.js';
import { lineOf } from './text.js';

/** Only resources from this server; no inline code or style, no frames, no forms to other sites. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** How a page updates: on every change, rarely because it is expensive to render, or never. */
export type Freshness = 'quick' | 'slow' | 'still';

const slowMs = 15_000;

export interface Frame {
  readonly title: string;
  /** The current entry in the navigation. */
  readonly place: NavigationPlace | null;
  /** The viewer, and the version at rendering time; null: a public page that does not update. */
  readonly live: { readonly who: Who; readonly version: string; readonly freshness?: Freshness } | null;
  readonly head?: Child;
  readonly children: Child;
}

export type NavigationPlace = keyof typeof places;

const places = {
  home: { path: '/', label: 'Home', key: 'h' },
  chat: { path: '/chat', label: 'Chat', key: 'c' },
  inbox: { path: '/inbox', label: 'Inbox', key: 'i' },
  history: { path: '/history', label: 'History', key: 'r' },
  workflows: { path: '/workflows', label: 'Workflows', key: 'w' },
  costs: { path: '/costs', label: 'Costs', key: 'd' },
  workers: { path: '/workers', label: 'Workers', key: 'k', isOwners: true },
  audit: { path: '/audit', label: 'Audit', key: 'a' },
} as const;

interface Way {
  readonly path: string;
  readonly label: string;
  readonly key: string;
  /** Covers all projects, so only the owner sees it. */
  readonly isOwners?: true;
}

function waysOf(who: Who): readonly (readonly [string, Way])[] {
  const all: [string, Way][] = Object.entries(places);
  return all.filter(([, { isOwners = false }]) => !isOwners || who.kind === 'home-owner');
}

function Layout({ title, place, live, head, children }: Frame) {
  return (
    <html
      lang="en"
      data-version={live?.version}
      data-thread={live === null ? undefined : webThreadOf(live)}
      data-still={live?.freshness === 'still' ? '' : undefined}
      data-gap={live?.freshness === 'slow' ? slowMs : undefined}
    >
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title === 'Bosun' ? title : `${lineOf(title, 120)} · Bosun`}</title>
        <link rel="icon" href={assets.icon} type="image/svg+xml" />
        <link rel="stylesheet" href={assets.style} />
        {live === null ? null : <Code />}
        {head ?? null}
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        {live === null ? <Brand isHeader /> : <Navigation place={place} who={live.who} />}
        <main id="main" tabindex={-1}>
          {children}
        </main>
        <div id="said" role="status" aria-live="polite"></div>
        {live === null ? null : <Shortcuts who={live.who} />}
      </body>
    </html>
  );
}

/** Preloads the module's imports, so that the browser fetches them in parallel. */
function Code() {
  return (
    <>
      <script type="module" src={assets.page}></script>
      {assets.pageParts.map((path) => (
        <link rel="modulepreload" href={path} />
      ))}
    </>
  );
}

function Brand({ isHeader = false }: { readonly isHeader?: boolean }) {
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

function Navigation({ place, who }: Pick<Frame, 'place'> & { readonly who: Who }) {
  return (
    <header class="top">
      <Brand />
      <nav aria-label="Pages">
        <ul>
          {waysOf(who).map(([name, { path, label }]) => (
            <li>
              <a href={path} aria-current={name === place ? 'page' : undefined}>
                {label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <p id="link" class="link" data-state="ok" role="status">
        <span class="dot" aria-hidden="true"></span>
        <span class="word">Live</span>
      </p>
      <form class="leave" method="post" action="/logout" data-act="logout">
        {who.kind === 'home-owner' ? null : <span class="soft">{lineOf(who.name, 40)}</span>}
        <button type="submit">Log out</button>
      </form>
    </header>
  );
}

function Shortcuts({ who }: { readonly who: Who }) {
  const ways = waysOf(who);
  return (
    <footer class="foot">
      <details id="keys" data-ways={JSON.stringify(Object.fromEntries(ways.map(([, { key, path }]) => [key, path])))}>
        <summary>Keyboard shortcuts</summary>
        <label class="row" for="single-keys">
          <input id="single-keys" type="checkbox" checked />
          Enable single-key shortcuts
        </label>
        <dl class="keys">
          {ways.map(([, { key, label }]) => (
            <div>
              <dt>
                <kbd>g</kbd> <kbd>{key}</kbd>
              </dt>
              <dd>{label}</dd>
            </div>
          ))}
          <div>
            <dt>
              <kbd>/</kbd>
            </dt>
            <dd>Write or filter</dd>
          </div>
          <div>
            <dt>
              <kbd>j</kbd> <kbd>k</kbd>
            </dt>
            <dd>Next, previous card</dd>
          </div>
          <div>
            <dt>
              <kbd>?</kbd>
            </dt>
            <dd>This list</dd>
          </div>
        </dl>
      </details>
      <noscript>
        <p class="soft">
          Reading works without JavaScript: reload to see changes. Answering and logging out need it; otherwise use{' '}
          <code>bosun say</code> in a shell, and delete this site's cookie.
        </p>
      </noscript>
    </footer>
  );
}

interface TabsProps {
  readonly label: string;
  /** Labels by path. */
  readonly tabs: Readonly<Record<string, string>>;
  readonly current: string;
}

export function Tabs({ label, tabs, current }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {Object.entries(tabs).map(([path, text]) => (
        <a href={path} aria-current={path === current ? 'page' : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}

export async function pageResponse(frame: Frame, status = 200): Promise<Response> {
  const markup = await (<Layout {...frame} />).toString();
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': pagePolicy,
    // With `no-referrer`, browsers send `Origin: null` for the page's own forms.
    'referrer-policy': 'same-origin',
  };
  return new Response(`<!doctype html>\n${raw(markup)}\n`, { status, headers });
}
