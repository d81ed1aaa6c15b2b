// graphile-worker: each task adds the next one.
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';
import { makeEnds, playRival, stepsEach } from './rival.mjs';

await playRival(async ({ url, projects }) => {
  const ends = makeEnds();
  const pgPool = new pg.Pool({ connectionString: url, max: 20 });
  const utils = await makeWorkerUtils({ pgPool });
  await utils.migrate();
  const runner = await run({
    pgPool,
    concurrency: Math.min(projects, 20),
    noHandleSignals: true,
    pollInterval: 1_000,
    logger: new Logger(() => () => undefined),
    taskList: {
      step: async ({ workflow, step }, { addJob }) => {
        if (step < stepsEach) await addJob('step', { workflow, step: step + 1 });
      },
    },
  });
  runner.events.on('job:complete', ({ job }) => {
    if (job.payload.step === stepsEach) ends.end(job.payload.workflow);
  });
  return {
    settings: `PostgreSQL, ${Math.min(projects, 20)} workers, woken by NOTIFY`,
    async play() {
      const { id, ended } = ends.begin();
      await utils.addJob('step', { workflow: id, step: 1 });
      await ended;
    },
    async close() {
      await runner.stop();
      await utils.release();
      await pgPool.end();
    },
  };
});
