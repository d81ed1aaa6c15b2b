// As stored and sent: a prefix tells the kinds apart.

export type Worker =
  | { readonly kind: 'own'; readonly pid: number }
  | { readonly kind: 'external'; readonly claim: string }
  | { readonly kind: 'remote'; readonly name: string };

const ownPrefix = 'local-';
const externalPrefix = 'outside-';

export function parseWorker(stored: string): Worker {
  if (stored.startsWith(ownPrefix)) return { kind: 'own', pid: Number(stored.slice(ownPrefix.length)) };
  if (stored.startsWith(externalPrefix)) return { kind: 'external', claim: stored.slice(externalPrefix.length) };
  return { kind: 'remote', name: stored };
}

export function printWorker(worker: Worker): string {
  switch (worker.kind) {
    case 'own':
      return `${ownPrefix}${worker.pid}`;
    case 'external':
      return `${externalPrefix}${worker.claim}`;
    case 'remote':
      return worker.name;
  }
}
