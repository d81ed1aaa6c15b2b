// Runs `bosun mcp` on stdio until the agent closes it. Imports little, because the agent waits for it to start.
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { askingBosun } from '../../jobs/asks/index.js';
import { toolServer } from './server.js';

interface AgentProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadableStream;
}

/** `hasPermissions`: false for a program that asks for permissions in its own way; its model gets no tool for them. */
export async function serveAgent({ env, stdin }: AgentProcess, hasPermissions: boolean): Promise<0> {
  const server = toolServer(askingBosun(env), hasPermissions);
  const ended = new Promise<void>((resolve) => {
    stdin.once('end', resolve);
    stdin.once('close', resolve);
    server.server.onclose = resolve;
  });
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
  return 0;
}
