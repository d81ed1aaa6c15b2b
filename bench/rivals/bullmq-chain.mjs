// BullMQ, a chain: each job adds the next one.
import { Queue, Worker } from 'bullmq';
import { makeEnds, playRival, stepsEach } from './rival.mjs';

await playRival(async ({ url, projects }) => {
  const connection = { url, maxRetriesPerRequest: null };
  const ends = makeEnds();
  const queue = new Queue('chain', { connection });
  const add = (data) => queue.add('step', data, { removeOnComplete: true });
  const run = async ({ data }) => {
    if (data.step < stepsEach) await add({ ...data, step: data.step + 1 });
  };
  const worker = new Worker('chain', run, { connection, concurrency: projects });
  worker.on('completed', ({ data }) => {
    if (data.step === stepsEach) ends.end(data.workflow);
  });
  await worker.waitUntilReady();
  return {
    settings: 'Redis, appendonly',
    async play() {
      const { id, ended } = ends.begin();
      await add({ workflow: id, step: 1 });
      await ended;
    },
    close: () => Promise.all([worker.close(), queue.close()]),
  };
});
