import { raw } from 'hono/html';
import type { Child } from 'hono/jsx';
import type { Who } from '../../../config/index.js';
import { webThreadOf } from '../../access/visible-context.js';
import type { WebContext } from '../../context/web-context.js';
import { assets } from './assets.js';
import { Banners, type bannersOf } from './banners.js';
import { mayAct } from './commands.js';
import { Icon, Sprite } from './icons.js';
import { Brand, FootBar, type NavigationPlace, NewTask, placesOf, TopBar, type Ways } from './navigation.js';
import { lineOf, ownZone } from './text.js';
import { attentionOf } from './work-state.js';

/** Security: this server only, without inline code or style, frames, or foreign forms. */
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

/** On every change, rarely (expensive to render), or never. */
export type Freshness = 'quick' | 'slow' | 'still';

const slowMs = 5_000;

export interface Frame {
  readonly title: string;
  readonly place: NavigationPlace | null;
  /** Null: a public page without updates. */
  readonly live: {
    readonly ways: Ways;
    readonly problems: ReturnType<typeof bannersOf>;
    readonly version: string;
    readonly freshness?: Freshness;
    readonly zone?: string | null;
  } | null;
  readonly head?: Child;
  readonly children: Child;
}

const maxCounted = 100;
const maxListed = 30;
const maxStartable = 200;

export function waysOf(web: WebContext, project: string | null): Ways {
  const { services, who } = web;
  const names = services.config().projects.map(({ name }) => name);
  const startable = names.slice(0, maxStartable).filter((name) => mayAct(web, name, 'start'));
  return { who, waiting: countWaiting(web), projects: names.slice(0, maxListed), startable, project };
}

/** The home's owner may answer everything. */
function countWaiting(web: WebContext): number {
  const { reader } = web.services.runtime;
  const open = reader.browsing.openInteractions(null, maxCounted);
  const count = open.filter(
    ({ run, interaction }) => attentionOf(web, reader.run(run), interaction) === 'theirs',
  ).length;
  const isMore = web.who.kind === 'home-owner' && open.length === maxCounted;
  return isMore ? count + reader.browsing.countOpen(null) - open.length : count;
}

function Layout({ title, place, live, head, children }: Frame) {
  const name = title === 'Bosun' ? title : `${lineOf(title, 120)} · Bosun`;
  const waiting = live?.ways.waiting ?? 0;
  return (
    <html
      lang="en"
      data-version={live?.version}
      data-thread={live === null ? undefined : webThreadOf(live.ways)}
      data-zone={live === null ? undefined : (live.zone ?? ownZone)}
      data-still={live?.freshness === 'still' ? '' : undefined}
      data-gap={live?.freshness === 'slow' ? slowMs : undefined}
    >
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="color-scheme" content="light dark" />
        <title>{waiting === 0 ? name : `(${waiting}) ${name}`}</title>
        <link rel="icon" href={waiting === 0 ? assets.icon : assets.iconWaiting} type="image/svg+xml" />
        <link rel="stylesheet" href={assets.style} />
        {live === null ? null : <Code />}
        {head ?? null}
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        <Sprite />
        {live === null ? <Brand isHeader /> : <TopBar place={place} ways={live.ways} />}
        {live === null ? null : (
          <>
            <p id="cut-off" class="notice bad" role="status" hidden>
              <Icon name="clock" />
              <span></span>
            </p>
            <Banners problems={live.problems} />
          </>
        )}
        <main id="main" tabindex={-1}>
          {children}
        </main>
        {live === null ? null : <FootBar place={place} ways={live.ways} />}
        <div id="said" role="status" aria-live="polite"></div>
        {live === null ? null : (
          <>
            <NewTask ways={live.ways} />
            <Palette />
            <Shortcuts who={live.ways.who} />
          </>
        )}
      </body>
    </html>
  );
}

const keys: readonly (readonly [readonly string[], string])[] = [
  [['/'], 'Write or search'],
  [['Ctrl', 'k'], 'Go to a page, a project or a button'],
  [['n'], 'New task'],
  [['j', 'k'], 'Next, previous card, row or file'],
  [['Enter'], 'Open the card or row'],
  [['a'], 'Approve: the first press shows the button'],
  [['c'], 'Request changes, or comment on the line'],
  [['1', '…', '9'], 'That answer of the card'],
  [['r'], 'Retry'],
  [['s'], 'Stop or continue'],
  [['[', ']'], 'Previous, next file'],
  [[',', '.'], 'Previous, next change or hit'],
  [['z'], 'Snooze the card: for how long'],
  [['h'], 'Hand the card to another person'],
  [['v'], 'Mark the file as viewed'],
  [['y'], 'Copy a link to the line of a file'],
  [['Esc'], 'Leave the field, close'],
  [['?'], 'This list'],
];

function Palette() {
  return (
    <dialog id="palette" aria-label="Go to">
      <input type="search" aria-label="Go to a page, a project or a button" placeholder="Go to…" maxlength={100} />
      <ul class="menu-list"></ul>
    </dialog>
  );
}

const projectsWay = { key: 'p', label: 'Projects', path: '/#projects' };

function Shortcuts({ who }: { readonly who: Who }) {
  const ways = placesOf(who);
  const all = [...ways.map(([, { key, label, path }]) => ({ key, label, path })), projectsWay];
  const paths = Object.fromEntries(all.map(({ key, path }) => [key, path]));
  return (
    <>
      <dialog id="keys" data-ways={JSON.stringify(paths)} aria-labelledby="keys-title">
        <form class="headline" method="dialog">
          <h2 id="keys-title">Keyboard shortcuts</h2>
          <button type="submit">Close</button>
        </form>
        <label class="tick" for="single-keys">
          <input id="single-keys" type="checkbox" checked />
          Enable single-key shortcuts
        </label>
        <dl class="keys">
          {all.map(({ key, label }) => (
            <Key keys={['g', key]} label={label} />
          ))}
          {keys.map(([names, label]) => (
            <Key keys={names} label={label} />
          ))}
        </dl>
      </dialog>
      <noscript>
        <p class="foot soft">
          Reading works without JavaScript: reload to see changes. Answering and logging out need it; otherwise use{' '}
          <code>bosun say</code> in a shell, and delete this site's cookie.
        </p>
      </noscript>
    </>
  );
}

function Key({ keys: names, label }: { readonly keys: readonly string[]; readonly label: string }) {
  return (
    <div>
      <dt>
        {names.map((name) => (
          <>
            <kbd>{name}</kbd>{' '}
          </>
        ))}
      </dt>
      <dd>{label}</dd>
    </div>
  );
}

/** Preloads imports in parallel. */
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

interface TabsProps {
  readonly label: string;
  readonly tabs: Readonly<Record<string, string>>;
  readonly current: string;
}

export function Tabs({ label, tabs, current }: TabsProps) {
  return (
    <nav class="seg" aria-label={label}>
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
    // `no-referrer` would send `Origin: null` for own forms.
    'referrer-policy': 'same-origin',
  };
  return new Response(`<!doctype html>\n${raw(markup)}\n`, { status, headers });
}
