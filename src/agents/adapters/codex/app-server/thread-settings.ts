import type { AgentSeat } from '../../port.js';
import { unaskedCommands } from '../../shared/own-rules.js';
import { commandLimits, promptWith, whatAskingCosts } from '../../shared/seat.js';
import { agentsFiles, distrustArgs } from '../checkout.js';

export function serverLaunch(seat: AgentSeat, more: readonly string[]): readonly string[] {
  return ['app-server', ...distrustArgs(seat), ...more, ...seat.executor.args];
}

export function threadSettings(seat: AgentSeat): object {
  const { workdir: cwd, executor } = seat;
  return {
    cwd,
    ...(executor.model === null ? {} : { model: executor.model }),
    ...policyOf(seat),
    // A configuration may route approvals to a model.
    approvalsReviewer: 'user',
  };
}

/** `never` if no Bosun listens: a model that asks would wait forever. */
function policyOf({ access, executor: { permission }, url }: AgentSeat): object {
  if (permission === 'bypass') return { approvalPolicy: 'never', sandbox: 'danger-full-access' };
  const sandbox = access === 'read' ? 'read-only' : 'workspace-write';
  if (permission === 'strict') return { approvalPolicy: 'untrusted', sandbox };
  return { approvalPolicy: permission === 'ask' && url !== '' ? 'on-request' : 'never', sandbox };
}

export function firstInput(seat: AgentSeat): readonly object[] {
  const prompt = promptWith(seat, seat.url === '' ? null : 'your tools', promptLimits(seat));
  return [agentsFiles(seat), prompt].filter((text) => text !== '').map(inputOf);
}

export const inputOf = (text: string): object => ({ type: 'text', text, text_elements: [] });

function promptLimits(seat: AgentSeat): string {
  if (seat.executor.permission === 'bypass') return '';
  if (seat.executor.permission === 'strict') return commandLimits(seat, unaskedCommands(seat));
  return `Commands run in a sandbox: no network, \`.git\` read-only. Those that need more ${whatAskingCosts(seat)}`;
}
