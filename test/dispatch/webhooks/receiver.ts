// A receiver of webhooks on loopback that answers as it is told, one call after the other.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly json: Readonly<Record<string, unknown>>;
}

/** `hang`: no answer ever; `reset`: the connection is torn down while the call comes in. */
export type Reaction = number | 'hang' | 'reset' | ((response: ServerResponse) => void);

export interface Receiver {
  readonly url: string;
  readonly received: readonly Received[];
  /** The most calls that were under way at one time. */
  readonly mostAtOnce: () => number;
  /** What each further call gets, in this order; after the last it is 200. */
  answer(...reactions: readonly Reaction[]): void;
}

export async function receiver(...reactions: readonly Reaction[]): Promise<Receiver> {
  const received: Received[] = [];
  const answers = [...reactions];
  let [open, most] = [0, 0];
  const server = createServer((request, response) => {
    open += 1;
    most = Math.max(most, open);
    request.once('close', () => {
      open -= 1;
    });
    const reaction = answers.shift() ?? 200;
    if (reaction === 'reset') {
      received.push({ headers: request.headers, body: '', json: {} });
      request.socket.resetAndDestroy();
      return;
    }
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('error', () => undefined);
    request.on('end', () => {
      received.push({ headers: request.headers, body, json: JSON.parse(body) });
      if (typeof reaction === 'function') reaction(response);
      else if (reaction !== 'hang') response.writeHead(reaction).end('said');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/told?key=of-the-address`,
    received,
    mostAtOnce: () => most,
    answer: (...more) => void answers.push(...more),
  };
}
