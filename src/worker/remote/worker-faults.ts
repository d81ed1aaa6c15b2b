import { hostname } from 'node:os';
import { BosunError } from '../../base/index.js';
import type { Fault } from '../../engine/index.js';

export interface MachineInfo {
  readonly name: string;
  readonly dir: string;
}

export class FailedStep extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export function faultOf(error: unknown, here: MachineInfo): Fault {
  const { code, message } = told(error);
  // Ignores the remote's lines: its full disk is not this machine's.
  const own = `${message}\n${reasonOf(error)}`.replaceAll(/^remote:.*$/gm, '');
  const isFull = /ENOSPC|EDQUOT|No space left|Disk quota exceeded/i.test(own);
  // Bosun could not send the bundle, so its machine has the problem.
  const where = code === 'worker_freight' ? "On Bosun's machine:" : `On ${hostname()}, with the worker ${here.name}:`;
  if (!isFull) return { code, message: `${where} ${message}`, remedy: 'ask' };
  return {
    code: 'worker_disk',
    message: `${where} the disk of ${here.dir} is full. Make room there, then retry. ${message}`,
    remedy: 'ask',
  };
}

function told(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof FailedStep) return { code: error.code, message: error.message };
  if (error instanceof BosunError) return { code: 'worker_checkout', message: withHint(error.message, error.hint) };
  return { code: 'worker_checkout', message: error instanceof Error ? error.message : String(error) };
}

export function withHint(message: string, hint: string | null): string {
  return hint === null || hint === '' ? message : `${message.replace(/(?<![.!?])$/, '.')} ${hint}`;
}

function reasonOf(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : '';
}
