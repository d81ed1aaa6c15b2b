// Turns each request of the agent into a reply, a decision or a refusal.
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { type Environment, isInside } from '../../../base/index.js';
import { agentEnvironment } from '../../processes/environment.js';
import type { AgentRequest, AgentSeat, RequestAnswer } from '../port.js';
import { commandRuling, editsUnasked } from '../shared/own-rules.js';
import { boundedInput, elicitationRequest, permissionRequest, scriptOf } from './permissions.js';
import type { Terminals } from './terminals.js';
import type { ToolCalls } from './tool-calls.js';
import { placeIn, readText, writeText } from './workspace-files.js';

type Without<Key extends string> = AgentRequest extends infer One
  ? One extends AgentRequest
    ? Omit<One, Key>
    : never
  : never;

export type ClientReply =
  /** `untold`: words that have no room in the protocol. */
  { readonly result: unknown; readonly untold?: string | null } | { readonly error: string };

/** A rule, the step's access, the executor's settings or a person decides. */
export interface Asking {
  readonly kind: 'asking';
  readonly ask: Without<'id' | 'turn'>;
  readonly isRuled: boolean;
  /** Null: the step may do it. */
  readonly forbidden: string | null;
  settle(answer: RequestAnswer): ClientReply;
  readonly cancelled: ClientReply;
}

/** `result`: a refusal in the protocol's words; absent: the reply is an error. */
export interface Unfit {
  readonly kind: 'unfit';
  readonly why: string;
  readonly result?: unknown;
  /** Absent: unknown method. */
  readonly code?: number;
}

export type Handling =
  | Asking
  | Unfit
  | { readonly kind: 'reply'; readonly result: unknown }
  | { readonly kind: 'error'; readonly why: string }
  | { readonly kind: 'later'; readonly result: Promise<unknown> };

const path = z.string().min(1).max(4_096);
const count = z
  .number()
  .int()
  .min(0)
  .max(1_000_000_000)
  .nullish()
  .transform((n) => n ?? null);
const reading = z.looseObject({ path, line: count, limit: count });
const writing = z.looseObject({ path, content: z.string() });
const running = z.looseObject({
  command: z.string().min(1).max(100_000),
  args: z.array(z.string().max(100_000)).max(1_000).nullish(),
  env: z
    .array(z.looseObject({ name: z.string().min(1).max(200), value: z.string().max(32_000) }))
    .max(200)
    .nullish(),
  cwd: path.nullish(),
  outputByteLimit: count,
});
const ofTerminal = z.looseObject({ terminalId: z.string().max(200) });

export interface ClientParts {
  readonly seat: AgentSeat;
  readonly environment: Environment;
  readonly calls: ToolCalls;
  readonly terminals: Terminals;
  /** False behind a `wrap`, which Bosun's own file and command access would bypass. */
  readonly hasHands: boolean;
}

export class ClientRequests {
  readonly #parts: ClientParts;
  readonly #terminals: Terminals;

  constructor(parts: ClientParts) {
    this.#parts = parts;
    this.#terminals = parts.terminals;
  }

  read(method: string, params: unknown): Handling {
    const { seat, calls, hasHands } = this.#parts;
    if (method === 'session/request_permission') return permissionRequest(params, calls, seat);
    if (method === 'elicitation/create') return elicitationRequest(params);
    if (!hasHands) return unknown(method);
    switch (method) {
      case 'fs/read_text_file':
        return this.#readFile(params);
      case 'fs/write_text_file':
        return this.#writeFile(params);
      case 'terminal/create':
        return this.#createTerminal(params);
      case 'terminal/output':
      case 'terminal/wait_for_exit':
      case 'terminal/kill':
      case 'terminal/release':
        return this.#terminal(method, params);
      default:
        return unknown(method);
    }
  }

  close(): void {
    this.#terminals.close();
  }

  #readFile(params: unknown): Handling {
    const said = reading.safeParse(params).data;
    if (said === undefined) return badParams('a file to read cannot be read from the request');
    const done = readText(this.#parts.seat, said.path, said);
    return done.ok ? { kind: 'reply', result: { content: done.value } } : { kind: 'error', why: done.why };
  }

  #writeFile(params: unknown): Handling {
    const { seat } = this.#parts;
    const said = writing.safeParse(params).data;
    const place = said === undefined ? null : placeIn(seat, said.path);
    if (said === undefined) return badParams('a file to write cannot be read from the request');
    if (place === null) return badParams(`a file outside the workspace was not written: ${said.path}`);
    const { content } = said;
    return {
      kind: 'asking',
      ask: { kind: 'permission', tool: 'write_file', input: boundedInput({ path: place.path, content }), reason: null },
      isRuled: place.isReport || editsUnasked(place.path, seat),
      forbidden: seat.access === 'write' ? null : 'this step may not edit files',
      settle: (answer) => {
        if (answer.kind !== 'allowed') return refusal(answer);
        const done = writeText(place, content);
        return done.ok ? { result: {} } : { error: done.why };
      },
      cancelled: { error: 'the turn was cancelled' },
    };
  }

  #createTerminal(params: unknown): Handling {
    const { seat, environment } = this.#parts;
    const said = running.safeParse(params).data;
    if (said === undefined) return badParams('a command cannot be read from the request');
    const cwd = folderIn(seat, said.cwd ?? seat.workdir);
    if (cwd === null) return badParams(`a command outside the workspace was not run: ${said.cwd}`);
    const args = said.args ?? [];
    // Security: these variables mark the processes to end with the attempt.
    const named = (said.env ?? []).filter(({ name }) => !name.startsWith('BOSUN_'));
    const env = Object.fromEntries(named.map(({ name, value }) => [name, value]));
    const hasEnv = Object.keys(env).length > 0;
    // Agents may put a whole shell line into `command`.
    const argv: [string, ...string[]] = args.length === 0 ? ['/bin/sh', '-c', said.command] : [said.command, ...args];
    const command = args.length === 0 ? said.command : argv.map(quoted).join(' ');
    const input = { command, ...(cwd === seat.workdir ? {} : { cwd }), ...(hasEnv ? { env } : {}) };
    const ruling = hasEnv ? null : commandRuling(command, cwd, seat);
    return {
      kind: 'asking',
      ask: { kind: 'permission', tool: 'shell', input: boundedInput(input), reason: null, ...scriptOf(ruling) },
      isRuled: ruling === 'allowed',
      forbidden: seat.access === 'read' ? 'this step may not run commands' : null,
      settle: (answer) => {
        if (answer.kind !== 'allowed') return refusal(answer);
        const own = { ...agentEnvironment(seat, environment), ...env };
        const made = this.#terminals.create({ argv, cwd, env: own, keepsBytes: said.outputByteLimit });
        return 'id' in made ? { result: { terminalId: made.id } } : { error: made.why };
      },
      cancelled: { error: 'the turn was cancelled' },
    };
  }

  #terminal(method: string, params: unknown): Handling {
    const id = ofTerminal.safeParse(params).data?.terminalId ?? '';
    switch (method) {
      case 'terminal/output': {
        const output = this.#terminals.output(id);
        return output === null ? noTerminal(id) : { kind: 'reply', result: output };
      }
      case 'terminal/wait_for_exit': {
        const exited = this.#terminals.exited(id);
        return exited === null ? noTerminal(id) : { kind: 'later', result: exited };
      }
      case 'terminal/kill':
        return this.#terminals.kill(id) ? { kind: 'reply', result: {} } : noTerminal(id);
      default:
        return this.#terminals.release(id) ? { kind: 'reply', result: {} } : noTerminal(id);
    }
  }
}

function unknown(method: string): Unfit {
  return { kind: 'unfit', why: `Bosun does not answer ${method}` };
}

function badParams(why: string): Unfit {
  return { kind: 'unfit', why, code: invalidParams };
}

const invalidParams = -32_602;

function noTerminal(id: string): Handling {
  return { kind: 'error', why: `there is no terminal ${JSON.stringify(id.slice(0, 100))}` };
}

function refusal(answer: RequestAnswer): ClientReply {
  return { error: ('why' in answer ? answer.why : null) ?? 'Permission was not given.' };
}

/** Resolves links, but spells the result below the workspace's own name. Null: outside, or missing. */
function folderIn({ workdir }: AgentSeat, path: string): string | null {
  try {
    const [folder, real] = [realpathSync(workdir), realpathSync(resolve(workdir, path))];
    if (real === folder) return workdir;
    return isInside(folder, real) ? real : null;
  } catch {
    return null;
  }
}

function quoted(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
