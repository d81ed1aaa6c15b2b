// openworkflow on SQLite (node:sqlite, so Node 22 runs it): one workflow function, each step a checkpoint. Its worker
// polls; a workflow counts as played when its function ends, before the last commit.
import { join } from 'node:path';
import { OpenWorkflow } from 'openworkflow';
import { BackendSqlite } from 'openworkflow/sqlite';
import { makeEnds, playRival, stepsEach } from './rival.mjs';

await playRival(async ({ folder, projects }) => {
  const ends = makeEnds();
  const backend = BackendSqlite.connect(join(folder, 'openworkflow.db'));
  const client = new OpenWorkflow({ backend });
  const ten = client.defineWorkflow({ name: 'ten' }, async ({ input, step }) => {
    for (let at = 1; at <= stepsEach; at++) await step.run({ name: `s${at}` }, async () => at);
    ends.end(input.id);
  });
  const worker = client.newWorker({ concurrency: projects });
  await worker.start();
  return {
    settings: 'SQLite WAL, synchronous FULL (its default), polls',
    async play() {
      const { id, ended } = ends.begin();
      await ten.run({ id });
      await ended;
    },
    async close() {
      await worker.stop();
      await backend.stop();
    },
  };
});
