// DBOS Transact: one workflow function, each step a checkpoint.
import { DBOS } from '@dbos-inc/dbos-sdk';
import { playRival, stepsEach } from './rival.mjs';

await playRival(async ({ url }) => {
  const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl: url, systemDatabasePoolSize: 20, logger: silent });
  const workflow = DBOS.registerWorkflow(
    async () => {
      for (let step = 1; step <= stepsEach; step++) await DBOS.runStep(async () => step, { name: `s${step}` });
    },
    { name: 'ten' },
  );
  await DBOS.launch();
  return { settings: 'PostgreSQL, pool of 20', play: () => workflow(), close: () => DBOS.shutdown() };
});
