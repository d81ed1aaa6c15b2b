// pg-boss: each job sends the next one. It only polls, at most twice a second.
import PgBoss from 'pg-boss';
import { makeEnds, playRival, stepsEach } from './rival.mjs';

await playRival(async ({ url, projects }) => {
  const ends = makeEnds();
  const boss = new PgBoss({ connectionString: url, max: 20 });
  boss.on('error', (error) => {
    throw error;
  });
  await boss.start();
  await boss.createQueue('step');
  await boss.work('step', { pollingIntervalSeconds: 0.5, batchSize: projects }, async (jobs) => {
    const next = jobs.filter(({ data }) => data.step < stepsEach);
    await boss.insert(
      next.map(({ data }) => ({ name: 'step', data: { workflow: data.workflow, step: data.step + 1 } })),
    );
    for (const { data } of jobs) if (data.step === stepsEach) ends.end(data.workflow);
  });
  return {
    settings: `PostgreSQL, polls every 0.5 s, ${projects} jobs a poll`,
    async play() {
      const { id, ended } = ends.begin();
      await boss.send('step', { workflow: id, step: 1 });
      await ended;
    },
    close: () => boss.stop({ graceful: false }),
  };
});
