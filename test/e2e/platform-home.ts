// A Bosun of its own process whose home has the demo project, people and a platform of this machine.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { type Started, start } from '../cli/given.js';

/** Resolves once it is ready; 0: on any port. */
export async function startReady(home: string, port = 0): Promise<Started> {
  const service = await start(['up', '--port', String(port)], { home });
  await service.line(/^ready /);
  return service;
}

interface Demo {
  readonly people: Readonly<Record<string, object>>;
  readonly members: Readonly<Record<string, string>>;
  /** Where the demo lives. */
  readonly chats?: readonly object[];
  readonly channels: Readonly<Record<string, object>>;
}

/** Adds them to the configuration of a home that has the demo. */
export function configureDemo(home: string, { people, members, chats, channels }: Demo): void {
  const path = join(home, 'config.yaml');
  const config = parseDocument(readFileSync(path, 'utf8'));
  config.setIn(['people'], config.createNode(people));
  config.setIn(['projects', 'demo', 'members'], config.createNode(members));
  if (chats !== undefined) config.setIn(['projects', 'demo', 'chats'], config.createNode(chats));
  config.setIn(['channels'], config.createNode(channels));
  writeFileSync(path, String(config));
}
