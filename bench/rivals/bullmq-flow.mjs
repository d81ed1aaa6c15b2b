// BullMQ, a FlowProducer: the whole chain is added at once, each job the parent of the one before it.
import { FlowProducer, Worker } from 'bullmq';
import { makeEnds, playRival, stepsEach } from './rival.mjs';

await playRival(async ({ url, projects }) => {
  const connection = { url, maxRetriesPerRequest: null };
  const ends = makeEnds();
  const flow = new FlowProducer({ connection });
  const worker = new Worker('flow', async () => undefined, { connection, concurrency: projects });
  worker.on('completed', ({ data }) => {
    if (data.step === stepsEach) ends.end(data.workflow);
  });
  await worker.waitUntilReady();
  const chain = (workflow, step) => ({
    name: 'step',
    queueName: 'flow',
    data: { workflow, step },
    opts: { removeOnComplete: true },
    children: step === 1 ? [] : [chain(workflow, step - 1)],
  });
  return {
    settings: 'Redis, appendonly',
    async play() {
      const { id, ended } = ends.begin();
      await flow.add(chain(id, stepsEach));
      await ended;
    },
    close: () => Promise.all([worker.close(), flow.close()]),
  };
});
