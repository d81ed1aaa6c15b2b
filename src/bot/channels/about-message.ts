// Log fields that link a log line to a message's project, run, node and attempt.

import type { LogFields } from '../../base/index.js';
import type { HomeReader, Message } from '../../store/index.js';

export function aboutMessage(
  reader: Pick<HomeReader, 'run' | 'interaction' | 'pages'>,
  { run, interaction }: Pick<Message, 'run' | 'interaction'>,
): LogFields {
  if (run === null) return {};
  const asked = interaction === null ? null : (reader.interaction(interaction)?.interaction ?? null);
  const [node] = asked?.node ? reader.pages.nodesNamed(run, [asked.node]) : [];
  const attempt = node?.live?.id ?? node?.last?.id;
  const project = reader.run(run)?.project;
  return {
    ...(project !== undefined && { project }),
    run,
    ...(asked !== null && asked.chain !== '' && { item: asked.chain, story: asked.chain }),
    ...(asked?.node && { node: asked.node }),
    ...(attempt !== undefined && { attempt }),
  };
}
