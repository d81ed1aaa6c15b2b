// How Bosun opens a thread of `codex app-server`: its policy and Bosun's own tools.
import type { AgentSeat } from '../../port.js';
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

/** The tools of `bosun mcp` that a model may call, without its process. */
export const ownTools = [
  {
    type: 'function',
    name: 'ask_human',
    description:
      'Ask the person who follows this work, and wait for the answer. Use it only for decisions that the code cannot answer.',
    inputSchema: {
      type: 'object',
      properties: {
        question: { type: 'string', description: 'The question, with everything they need to know to decide' },
        options: { type: 'array', items: { type: 'string' }, description: 'Answers to choose from, if any' },
      },
      required: ['question'],
    },
  },
  {
    type: 'function',
    name: 'report_progress',
    description: 'Say in a few words what you are doing now. It interrupts no one.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
];

/** What the prompt says of commands. */
export function promptLimits(seat: AgentSeat): string {
  const { access, ownerLines = [], executor } = seat;
  if (executor.permission === 'bypass') return '';
  if (executor.permission === 'strict') return commandLimits(seat, access === 'read' ? [] : ownerLines);
  return `Commands run in a sandbox without network, where \`.git\` is read-only. Those that need more ${whatAskingCosts(seat)}`;
}
