// How Bosun opens a thread of `codex app-server`: its policy, and what its prompt says of it.
import type { AgentSeat } from '../../port.js';
import { unaskedCommands } from '../../shared/own-rules.js';
import { commandLimits, whatAskingCosts } from '../../shared/seat.js';

export function threadSettings(seat: AgentSeat): object {
  const { workdir: cwd, executor } = seat;
  return {
    cwd,
    ...(executor.model === null ? {} : { model: executor.model }),
    ...policyOf(seat),
    // A configuration may send approvals to a model instead.
    approvalsReviewer: 'user',
  };
}

/** `never` under `ask` too where no Bosun listens: a model that may ask would wait for nobody. */
function policyOf({ access, executor: { permission }, url }: AgentSeat): object {
  if (permission === 'bypass') return { approvalPolicy: 'never', sandbox: 'danger-full-access' };
  const sandbox = access === 'read' ? 'read-only' : 'workspace-write';
  if (permission === 'strict') return { approvalPolicy: 'untrusted', sandbox };
  return { approvalPolicy: permission === 'ask' && url !== '' ? 'on-request' : 'never', sandbox };
}

/** What the prompt says of commands. */
export function promptLimits(seat: AgentSeat): string {
  if (seat.executor.permission === 'bypass') return '';
  if (seat.executor.permission === 'strict') return commandLimits(seat, unaskedCommands(seat));
  return `Commands run in a sandbox without network, where \`.git\` is read-only. Those that need more ${whatAskingCosts(seat)}`;
}
