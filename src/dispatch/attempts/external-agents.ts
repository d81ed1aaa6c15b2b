// Manual reports and external claims, with their secrets redacted.

import { attemptRunner, type CodingAgent } from '../../agents/index.js';
import { hashOf, redacted } from '../../base/index.js';
import type { Config, Home, Redaction } from '../../config/index.js';
import type { State } from '../../engine/index.js';
import type { RunAttempt } from '../../jobs/index.js';
import { exportLogs, logFolderOf } from '../../worker/index.js';
import {
  type ClaimRequest,
  claimExternal,
  type ExternalAttemptParts,
  settleExternal,
  takeBackOverdue,
} from './external-attempts.js';
import { withRulesSinceLast } from './external-rules.js';
import { attemptJob, type JobParts, jobPartsOf } from './job-builder.js';
import { type ManualReport, type ManualReportFiles, readHandReport } from './manual-report.js';

export interface ExternalAgentsParts extends Pick<ExternalAttemptParts, 'store' | 'queue' | 'now' | 'submit'> {
  readonly home: Home<CodingAgent>;
  readonly config: () => Config;
  readonly url: () => string;
  readonly redaction: Redaction;
}

export class ExternalAgents {
  readonly #parts: ExternalAgentsParts;
  readonly #beganAt = new Map<string, number>();

  constructor(parts: ExternalAgentsParts) {
    this.#parts = parts;
  }

  async readHandReport(state: State, node: string, given: ManualReportFiles): Promise<ManualReport> {
    const read = await this.#read(state, node, given);
    const about = { run: state.run.id, chain: state.chain.key, node };
    const { payload } = attemptJob(state, node, `${state.run.id}-by-hand`, this.#jobParts());
    const envelope = withRulesSinceLast(read.envelope, about, payload, this.#parts);
    const { touchedRules = [] } = envelope;
    // Git may ignore rule files, and then a second report after a revert would look like the first.
    const fingerprint =
      touchedRules.length === 0 ? read.fingerprint : hashOf([read.fingerprint, ...touchedRules].join('\n'));
    return { envelope, fingerprint };
  }

  async #read(state: State, node: string, given: ManualReportFiles): Promise<ManualReport> {
    const { home, redaction } = this.#parts;
    const runner = attemptRunner({
      agents: home.agents,
      home: home.dir,
      redactOf: (spec) => redaction.of(spec),
      logFolderOf: (spec) => logFolderOf(home, spec),
    });
    const run: RunAttempt = async (spec, control) => {
      const envelope = await runner(spec, control);
      const problem = await exportLogs(home, spec);
      return problem === null ? envelope : { ...envelope, warnings: [...envelope.warnings, problem] };
    };
    const read = await readHandReport(state, node, given, this.#jobParts(), run);
    return { ...read, envelope: redacted(read.envelope, redaction.redact) };
  }

  claim(wanted: ClaimRequest): Promise<void> {
    return claimExternal(this.#outsideParts(), wanted);
  }

  settle(token: string, said: { readonly report: string } | { readonly error: string }): Promise<void> {
    const redact = this.#parts.redaction.of({ token });
    const bare = 'error' in said ? { error: redact(said.error) } : { report: redact(said.report) };
    return settleExternal(this.#outsideParts(), token, bare);
  }

  takeBackOverdue(): Promise<void> {
    return takeBackOverdue(this.#outsideParts());
  }

  #outsideParts(): ExternalAttemptParts {
    const { store, queue, home, now, submit } = this.#parts;
    return {
      ...{ store, queue, home, secret: home.secret, now, submit, beganAt: this.#beganAt },
      steady: () => performance.now(),
      jobParts: () => this.#jobParts(),
      readHandReport: (state, node, given) => this.#read(state, node, given),
    };
  }

  #jobParts(): JobParts {
    const { config, home, url } = this.#parts;
    return jobPartsOf(config(), home, url());
  }
}
