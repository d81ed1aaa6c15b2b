// The diff of a run, or of one of its items, since it started: what a reviewer reads before deciding.

import { BosunError } from '../../../base/index.js';
import { projectNamed } from '../../../config/index.js';
import { diffOfRun } from '../../../dispatch/index.js';
import { isRunOver } from '../../../engine/index.js';
import type { Spine } from '../../../store/index.js';
import type { WebContext } from '../../context/web-context.js';
import { inSlot } from '../../context/web-context.js';
import { DiffView } from '../shared/diff-view.js';
import { countOf, lineOf } from '../shared/text.js';
import { RunHead } from './run.js';

const patchMaxBytes = 256 * 1024;

export interface RunChanges {
  readonly item: string | null;
  readonly files: number;
  readonly insertions: number;
  readonly deletions: number;
  readonly patch: string;
}

export async function runChangesOf(web: WebContext, { run, items }: Spine, item: string | null): Promise<RunChanges> {
  const { reader } = web.services.runtime;
  const project = projectNamed(web.services.config(), run.project);
  if (project === null) throw new BosunError('not_found', `The project of ${run.id} is no longer configured`);
  if (item !== null && !items.some(({ key }) => key === item))
    throw new BosunError('not_found', `${run.id} has no item "${lineOf(item, 80)}"`);
  return inSlot(web, async () => {
    const diff = await diffOfRun(reader, run, item, project.root);
    return { item, ...diff.stat, patch: await diff.patch(patchMaxBytes) };
  });
}

interface Shown {
  readonly web: WebContext;
  readonly spine: Spine;
  readonly changes: RunChanges;
}

export function RunChangesPage({ web, spine, changes }: Shown) {
  const { item, files, insertions, deletions, patch } = changes;
  return (
    <>
      <RunHead web={web} run={spine.run} path="/changes" />
      <section id="changes" data-live aria-labelledby="changes-title">
        <div class="headline">
          <h2 id="changes-title">Changes{item === null ? '' : ` of ${lineOf(item, 60)}`}</h2>
          <p class="soft num">
            {countOf(files, 'file')} +{insertions} −{deletions}{' '}
            {isRunOver(spine.run.status) ? 'in all' : 'since it started'}
          </p>
        </div>
        {patch === '' ? <p class="panel empty">No changes.</p> : <DiffView patch={patch} />}
      </section>
    </>
  );
}
