// Imports little, because the agent waits for it to start.
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { askingBosun, fileTools } from '../../jobs/asks/index.js';
import { filesIn, plainFiles } from './agent-files.js';
import { toolServer } from './server.js';

interface AgentProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadableStream;
}

/** `asksPermission`: through a tool, as Claude Code does. */
export async function serveAgent({ env, stdin }: AgentProcess, asksPermission: boolean): Promise<0> {
  const files = filesIn(env);
  const server = toolServer(askingBosun(env), {
    asksPermission,
    files: files === null ? [] : fileTools(files).map((tool) => ({ tool, access: plainFiles })),
  });
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
