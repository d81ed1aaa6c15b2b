import type { Chain } from '../../engine/index.js';
import type { HomeReader, Spine } from '../../store/index.js';
import { checkpointSchema } from '../../workspace/index.js';
import { maxSessionAttempts, type SessionFile, session } from './session.js';
import type { WaveFiles } from './waves.js';
import { type WorkflowStateFile, workflowState } from './workflow-state.js';

type ChainOf = (key: string) => Chain | null;

export function workflowStateOf(
  store: Pick<HomeReader, 'records' | 'attempt'>,
  spine: Spine,
  chainOf: ChainOf,
): WorkflowStateFile {
  const shaOf = (attempt: string) => headOf(store.attempt(attempt)?.checkpoint ?? null);
  return workflowState({ spine, chainOf, records: store.records(spine.run.id), shaOf });
}

export function sessionOf(
  store: Pick<HomeReader, 'records' | 'attemptsOfRun'>,
  spine: Spine,
  chainOf: ChainOf,
): { readonly file: SessionFile; readonly waves: readonly WaveFiles[] } {
  const { id } = spine.run;
  return session({
    spine,
    chainOf,
    attempts: store.attemptsOfRun(id, maxSessionAttempts),
    records: store.records(id),
  });
}

function headOf(checkpoint: string | null): string | null {
  if (checkpoint === null) return null;
  return checkpointSchema.parse(JSON.parse(checkpoint)).head;
}
