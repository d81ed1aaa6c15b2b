// What some of the real programs do only after a person has allowed it, and exactly as often: their columns of the table
// in docs/agents.md.
import { describe, expect, it } from 'vitest';
import { isInstalled, nameWithVersion, proofAgents } from './proof-agents.js';
import { killRun, lateRun, liveRun } from './proof-runs.js';
import { type Column, cell, type Observed, pagePath, pageWith, type Row, rows, unproven } from './proof-table.js';

const patienceMs = 300_000;

/** Each of these titles is an agent of the table. `vitest -u` writes their columns; it takes one file after the other. */
export function proveAgents(...titles: readonly string[]): void {
  const proven = titles.map((title) => {
    const agent = proofAgents.find((one) => one.title === title);
    if (agent === undefined) throw new Error(`no agent "${title}"`);
    return { agent, seen: new Map<Row, Observed>() };
  });

  for (const { agent, seen } of proven) {
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

  it.runIf(proven.every(({ agent }) => isInstalled(agent)))('docs/agents.md has what was observed', async () => {
    const columns = proven.map(({ agent, seen }): [number, Column] => [
      proofAgents.indexOf(agent),
      [nameWithVersion(agent), ...rows.map((row) => cell(row, seen.get(row), agent.exceptions))],
    ]);
    await expect(pageWith(new Map(columns))).toMatchFileSnapshot(pagePath);
  });
}
