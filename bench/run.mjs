// Measures and prints tables. Ratios within one run are what counts: machines differ, and this one may be shared.
import { measureCommits } from './commits.mjs';
import { measureDelivery } from './delivery.mjs';
import { measureGit } from './git.mjs';
import { measureProcess } from './process.mjs';
import { measureQueues } from './queues.mjs';
import { measureSlack } from './slack.mjs';
import { measureStart } from './start.mjs';
import { measureTelegram } from './telegram.mjs';
import { measureTransitions } from './transitions.mjs';
import { measureWeb } from './web.mjs';

const tables = [];
const only = process.argv[2];
const wants = (name) => only === undefined || only === name;

const bare = measureCommits();
if (wants('transitions')) tables.push(...(await measureTransitions(bare)));
if (wants('start')) tables.push(await measureStart());
if (wants('git')) tables.push(await measureGit());
if (wants('delivery')) tables.push(await measureDelivery());
if (wants('telegram')) tables.push(await measureTelegram());
if (wants('queues')) tables.push(...(await measureQueues()));
if (wants('slack')) tables.push(await measureSlack());
if (wants('web')) tables.push(...(await measureWeb()));
if (wants('process')) tables.push(await measureProcess());

for (const { title, rows } of tables) {
  console.log(`\n## ${title}\n`);
  const heads = Object.keys(rows[0] ?? {});
  console.log(`| ${heads.join(' | ')} |\n|${heads.map(() => ' --- ').join('|')}|`);
  for (const row of rows) console.log(`| ${heads.map((head) => row[head]).join(' | ')} |`);
}
