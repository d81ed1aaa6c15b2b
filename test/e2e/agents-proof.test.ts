// The table of docs/agents.md: what the real programs do only after a person has allowed it, and exactly as often.
import { describe, expect, it } from 'vitest';
import { isInstalled, nameWithVersion, proofAgents } from '../agents/proof/proof-agents.js';
import { killRun, lateRun, liveRun } from '../agents/proof/proof-runs.js';
import { cell, type Observed, pagePath, pageWith, type Row, rows, unproven } from '../agents/proof/proof-table.js';

const patienceMs = 300_000;
const columns = proofAgents.map((agent) => ({ agent, seen: new Map<Row, Observed>() }));

for (const { agent, seen } of columns) {
  const what = `${nameWithVersion(agent)} does what a person allowed, exactly as often`;
  describe.runIf(isInstalled(agent))(what, { timeout: patienceMs }, () => {
    it.each([
      ['while it works', liveRun],
      ['long after it asked', lateRun],
      ['after it, and then Bosun, was killed', killRun],
    ])('%s', async (_when, run) => {
      const observed = await run(agent);
      for (const [row, one] of observed) seen.set(row, one);
      expect(unproven(observed, agent.exceptions)).toEqual([]);
    });
  });
}

it.runIf(proofAgents.every(isInstalled))('docs/agents.md has the table of what was observed', async () => {
  const table = columns.map(({ agent, seen }) => ({
    title: nameWithVersion(agent),
    cells: rows.map((row) => cell(row, seen.get(row), agent.exceptions)),
  }));
  await expect(pageWith(table)).toMatchFileSnapshot(pagePath);
});
