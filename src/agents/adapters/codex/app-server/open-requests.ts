// Holds requests until a person answers. Each gets exactly one answer, and none after its turn.
import type { AgentEvent, AgentSeat, RequestAnswer } from '../../port.js';
import { type Json, objectAt, objectOf, objectsAt, textAt } from '../../shared/foreign-json.js';
import type { JsonRpc, RpcId } from '../../shared/json-rpc.js';
import { commandRuling, editsUnasked } from '../../shared/own-rules.js';
import type { FileChange } from '../../shared/patch-input.js';
import { type CodexRequest, patchTool, progressIn, readRequest, shellTool, toolResult } from './approvals.js';
import { callOwnFile } from './own-tools.js';

const maxPatches = 1_000;

export interface OpenRequest extends CodexRequest {
  readonly to: RpcId;
}

interface OpenRequestsParts {
  readonly seat: AgentSeat;
  readonly rpc: JsonRpc;
  readonly isOver: (request: CodexRequest) => boolean;
  readonly warn: (text: string) => void;
}

export class OpenRequests {
  readonly #parts: OpenRequestsParts;
  readonly #open = new Map<string, OpenRequest>();
  readonly #patches = new Map<string, readonly FileChange[]>();

  constructor(parts: OpenRequestsParts) {
    this.#parts = parts;
  }

  /** Null: no longer open. */
  answer(id: string, answer: RequestAnswer): OpenRequest | null {
    const request = this.#open.get(id);
    if (request === undefined) return null;
    this.#open.delete(id);
    this.#parts.rpc.answer(request.to, request.reply(answer));
    return request;
  }

  /** A later approval names only the item. */
  notePatch(item: Json | null): void {
    const id = textAt(item, 'id');
    if (textAt(item, 'type') !== 'fileChange' || id === null || this.#patches.size >= maxPatches) return;
    this.#patches.set(id, objectsAt(item, 'changes').map(changeOf));
  }

  take(to: RpcId, method: string, params: unknown): readonly AgentEvent[] {
    const { rpc, seat } = this.#parts;
    const progress = progressIn(method, params);
    if (progress !== null) {
      rpc.answer(to, toolResult('Noted.', true));
      return [{ type: 'progress', text: progress }];
    }
    const kept = callOwnFile(method, params, seat);
    if (kept !== null) {
      rpc.answer(to, toolResult(kept.text, kept.ok));
      return kept.ok ? [] : [{ type: 'note', text: `[refused] ${kept.text}` }];
    }
    const read = readRequest(method, params, (item) => this.#patches.get(item) ?? null);
    if ('why' in read) return this.#decline(to, read.why, read.result);
    const { ask } = read;
    if (this.#parts.isOver(read)) {
      rpc.answer(to, read.reply({ kind: 'expired', why: 'The turn is over.' }));
      return [{ type: 'note', text: `[refused] a request that came after its turn ended: ${method}` }];
    }
    if (ask.kind === 'permission' && seat.executor.permission === 'bypass') {
      rpc.answer(to, read.reply({ kind: 'allowed' }));
      return [];
    }
    const ruling = ask.kind === 'permission' ? this.#rule(ask.tool, ask.input, params) : null;
    if (ask.kind === 'permission' && ruling === 'allowed') {
      rpc.answer(to, read.reply({ kind: 'allowed' }));
      return [{ type: 'note', text: `[allowed] by a rule: ${ask.tool}` }];
    }
    if (ask.kind === 'permission' && seat.executor.permission === 'deny') {
      return this.#decline(
        to,
        `${ask.tool} was refused: this executor has permission: deny`,
        read.reply({ kind: 'denied', why: null }),
      );
    }
    const id = `${typeof to === 'number' ? 'n' : 's'}${to}`;
    this.#open.set(id, { ...read, to });
    return [{ type: 'request', request: { ...ask, ...(ruling === 'allowed' ? null : ruling), id } }];
  }

  withdraw(isMeant: (request: OpenRequest) => boolean): readonly AgentEvent[] {
    const meant = [...this.#open].filter(([, request]) => isMeant(request));
    return meant.map(([id]) => {
      this.#open.delete(id);
      return { type: 'withdrawn', id };
    });
  }

  #rule(tool: string, input: Readonly<Record<string, unknown>>, params: unknown): ReturnType<typeof commandRuling> {
    const { seat } = this.#parts;
    if (seat.executor.permission !== 'strict') return null;
    const { command, cwd, permissions } = input;
    if (tool === shellTool && typeof command === 'string') {
      return permissions === undefined ? commandRuling(command, cwd, seat) : null;
    }
    const changes = this.#patches.get(textAt(objectOf(params), 'itemId') ?? '') ?? [];
    const isPatch = tool === patchTool && input['folder'] === undefined && changes.length > 0;
    return isPatch && changes.every(({ path }) => editsUnasked(path, seat)) ? 'allowed' : null;
  }

  #decline(to: RpcId, why: string, result: unknown): readonly AgentEvent[] {
    if (result === undefined) this.#parts.rpc.refuse(to, why);
    else this.#parts.rpc.answer(to, result);
    this.#parts.warn(`codex: ${why}`);
    return [{ type: 'note', text: `[refused] ${why}` }];
  }
}

function changeOf(one: Json): FileChange {
  const kind = objectAt(one, 'kind');
  const target = textAt(kind, 'move_path');
  const change = `${textAt(kind, 'type') ?? 'change'}${target === null ? '' : ` (moves to ${target})`}`;
  return { change, path: textAt(one, 'path') ?? '', diff: textAt(one, 'diff') ?? '' };
}
