import { setMaxListeners } from 'node:events';
import { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import type { Log } from '../base/index.js';
import { BosunError } from '../base/index.js';
import type { WebhookReceivers } from '../bot/index.js';
import { isLoopback } from '../config/index.js';
import { bracketed, isWildcard, ownNameOf } from './access/own-host.js';
import { signatureWindowMs } from './access/signature.js';
import { webApp } from './app.js';
import { type ConnectionLimits, Connections, usualLimits } from './context/connections.js';
import { Etags } from './context/etags.js';
import { ExpiringKeys } from './context/expiring-keys.js';
import { Logins } from './context/logins.js';
import type { WebContext, WebServices } from './context/web-context.js';
import { takeOtherLoopback } from './http/loopbacks.js';
import { CommitTally, watchEventLoop } from './metrics/index.js';

export interface WebOptions {
  readonly host: string;
  readonly port: number;
  readonly version: string;
  readonly webhooks?: WebhookReceivers;
  readonly log?: Log;
  readonly now?: () => number;
  readonly heartbeatMs?: number;
  readonly stuckAfterMs?: number;
  readonly limits?: Partial<ConnectionLimits>;
}

export interface Web {
  readonly port: number;
  readonly url: string;
  /** The link logs one browser in, once, within ten minutes. */
  loginLink(): string;
  close(): Promise<void>;
}

const maxDeliveries = 10_000;

export async function startWeb(app: WebServices, options: WebOptions): Promise<Web> {
  requireSecrets(app, options.host);
  const { host, version, now = Date.now, log = () => undefined, heartbeatMs = 15_000 } = options;
  const { webhooks = () => null, stuckAfterMs = 60_000 } = options;
  let port = options.port;
  const url = () => `http://${isWildcard(host) ? '127.0.0.1' : bracketed(host)}:${port}`;
  const ownName = ownNameOf(app.home.homeId);
  let isNameOurs = false;
  const pageUrl = () => (isNameOurs ? `http://${ownName}:${port}` : url());
  const ending = new AbortController();
  // Every open response listens, and has its own limit.
  setMaxListeners(0, ending.signal);
  const limits = { ...usualLimits, ...options.limits };
  const connections = new Connections(limits, log, now);
  const logins = new Logins({ now, home: app.home });
  const web: WebContext = {
    who: { kind: 'home-owner' },
    zone: null,
    ...{
      services: app,
      version,
      host,
      ownName,
      now,
      log,
      heartbeatMs,
      stuckAfterMs,
      logins,
      connections,
      url,
      pageUrl,
      webhooks,
    },
    port: () => port,
    // Twice the signature window: a sender's clock may run ahead.
    deliveries: new ExpiringKeys({ max: maxDeliveries, ttlMs: 2 * signatureWindowMs, now }),
    ending: ending.signal,
    answered: new Map(),
    tally: new CommitTally(app.runtime.reader.counts),
    tags: new Etags(),
    open: new Set(),
  };
  const stopCounting = app.runtime.onCommits((committed) => web.tally.note(committed));
  const loop = watchEventLoop();
  const { fetch } = webApp(web, loop.read);
  const newServer = (): Server => {
    const made = createAdaptorServer({
      fetch,
      overrideGlobalObjects: false,
      serverOptions: {
        headersTimeout: limits.headersMs,
        connectionsCheckingInterval: Math.min(1_000, limits.headersMs),
      },
    });
    if (!(made instanceof Server)) throw new Error('the HTTP adaptor created no http.Server');
    connections.guard(made);
    return made;
  };
  const [server, other] = [newServer(), newServer()];
  try {
    port = await listening(server, host, options.port);
    isNameOurs = await takeOtherLoopback(server.address(), other, log);
  } catch (error) {
    stopCounting();
    loop.close();
    throw error;
  }
  return {
    port,
    url: url(),
    loginLink: () => `${pageUrl()}/login?code=${logins.newCode()}`,
    close: async () => {
      ending.abort();
      stopCounting();
      loop.close();
      await Promise.all([server, other].map(closed));
    },
  };
}

/** A server that others can reach needs a secret for every entry. */
function requireSecrets({ home, config }: WebServices, host: string): void {
  if (isLoopback(host)) return;
  const without = config().projects.filter((project) => project.hookSecret === null);
  if (home.apiToken.length >= 32 && without.length === 0) return;
  const what = without.map((project) => project.name).join(', ');
  throw new BosunError(
    'bad_config',
    `web.host is ${host}, which other machines can reach, but there is no hook secret for ${what || 'the API'}`,
    {
      hint: 'Set hook_secret for each project in config.yaml, or set web.host to 127.0.0.1.',
    },
  );
}

function listening(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'another program uses that port' : (cause.code ?? cause.message);
      const hint =
        'Choose another port with --port, or set web.port and web.host in config.yaml; port 0 takes any free port.';
      reject(new BosunError('bad_config', `HTTP cannot listen on ${bracketed(host)}:${port}: ${why}`, { hint, cause }));
    };
    server.once('error', onError);
    server.listen({ port, host: host.replace(/^\[|\]$/g, '') }, () => {
      server.off('error', onError);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

/** Streams were told; the rest close after a grace period. */
function closed(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    setTimeout(() => server.closeAllConnections(), graceMs).unref();
  });
}

const graceMs = 200;
