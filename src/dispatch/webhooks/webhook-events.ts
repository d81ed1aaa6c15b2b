import type { Interaction, Run, State } from '../../engine/index.js';

export interface News {
  readonly type: string;
  readonly run: Run;
  readonly interaction: Interaction | null;
}

interface Change {
  readonly before: State | null;
  readonly after: State;
}

export function newsOf({ before, after }: Change): readonly News[] {
  const { run } = after;
  const asked = after.interactions.flatMap((interaction) => {
    const earlier = before?.interactions.find((one) => one.id === interaction.id) ?? null;
    const type = typeOfInteraction(earlier, interaction);
    return type === null ? [] : [{ type, run, interaction }];
  });
  const type = typeOfRun(before?.run ?? null, run);
  return type === null ? asked : [...asked, { type, run, interaction: null }];
}

function typeOfInteraction(before: Interaction | null, after: Interaction): string | null {
  if (after.state === 'open') return before === null ? 'interaction.opened' : null;
  return before?.state === 'open' ? 'interaction.decided' : null;
}

function typeOfRun(before: Run | null, after: Run): string | null {
  if (after.status === (before?.status ?? 'draft') || after.status === 'draft') return null;
  if (after.status !== 'running') return `run.${after.status}`;
  return before === null || before.startedAt === null ? 'run.started' : 'run.resumed';
}
