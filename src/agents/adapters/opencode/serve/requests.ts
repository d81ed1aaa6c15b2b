// Permission requests of all sessions. Each is answered once, by rules or by a person.
import type { AgentEvent, AgentSeat, RequestAnswer } from '../../port.js';
import { type Json, textAt } from '../../shared/foreign-json.js';
import { type AskedPermission, askedPermission, ruleOn, type ToolCall } from './permissions.js';

const maxWarnings = 10;
const maxEarly = 100;
const maxSeen = 100_000;

export interface PermissionReply {
  readonly reply: 'once' | 'reject';
  readonly message?: string;
}

export interface Broken {
  readonly why: string;
}

export interface RequestsParts {
  readonly seat: AgentSeat;
  /** Null: input not known yet. */
  readonly callOf: (message: string, call: string) => ToolCall | null;
  readonly send: (id: string, reply: PermissionReply) => void;
}

export class PermissionRequests {
  readonly #parts: RequestsParts;
  readonly #seen = new Set<string>();
  /** Their call has not arrived yet. */
  readonly #early = new Map<string, AskedPermission>();
  readonly #open = new Set<string>();
  readonly #warnings = new Set<string>();
  readonly #askedCalls = new Set<string>();

  constructor(parts: RequestsParts) {
    this.#parts = parts;
  }

  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  ask(properties: Json | null): readonly AgentEvent[] | Broken {
    const asked = askedPermission.safeParse(properties).data;
    if (asked === undefined) return { why: 'a permission request of another form' };
    if (this.#seen.has(asked.id)) return { why: `two permission requests with the id ${asked.id}` };
    if (this.#seen.size >= maxSeen || this.#early.size >= maxEarly) return { why: 'too many permission requests' };
    this.#seen.add(asked.id);
    this.#early.set(asked.id, asked);
    return this.proceed();
  }

  /** Continues requests whose call is known by now. */
  proceed(): readonly AgentEvent[] | Broken {
    const events: AgentEvent[] = [];
    for (const asked of [...this.#early.values()]) {
      const { tool } = asked;
      const call = tool === undefined ? null : this.#parts.callOf(tool.messageID, tool.callID);
      if (tool !== undefined && call === null) continue;
      this.#early.delete(asked.id);
      if (tool !== undefined && asked.permission === 'bash') this.#askedCalls.add(`${tool.messageID} ${tool.callID}`);
      const heard = this.#rule(asked, call);
      if ('why' in heard) return heard;
      events.push(...heard);
    }
    return events;
  }

  replied(properties: Json | null): readonly AgentEvent[] | Broken {
    const id = textAt(properties, 'requestID') ?? '';
    const isWaiting = this.#open.has(id) || this.#early.has(id);
    if (this.#seen.has(id) && !isWaiting) return [];
    // Not from Bosun: another client talks to this server.
    if (textAt(properties, 'reply') !== 'reject')
      return { why: 'a permission that Bosun did not give: another program talks to it' };
    // A refusal also refuses the session's other open requests.
    this.#early.delete(id);
    return this.#open.delete(id) ? [{ type: 'withdrawn', id }] : [];
  }

  answer(id: string, answer: RequestAnswer): void {
    if (!this.#open.delete(id)) return;
    this.#parts.send(id, answer.kind === 'allowed' ? { reply: 'once' } : { reply: 'reject', message: whyOf(answer) });
  }

  hasAsked(message: string, call: string): boolean {
    return this.#askedCalls.has(`${message} ${call}`);
  }

  withdrawAll(): readonly AgentEvent[] {
    const ids = [...this.#open];
    this.#open.clear();
    this.#early.clear();
    return ids.map((id) => ({ type: 'withdrawn', id }));
  }

  #rule(asked: AskedPermission, call: ToolCall | null): readonly AgentEvent[] | Broken {
    const { seat, send } = this.#parts;
    const { id, permission } = asked;
    if (seat.executor.permission === 'bypass') {
      send(id, { reply: 'once' });
      return [];
    }
    const ruling = ruleOn(asked, call, seat);
    switch (ruling.kind) {
      case 'unguarded':
        return { why: ruling.why };
      case 'allowed':
        send(id, { reply: 'once' });
        return [{ type: 'note', text: `[allowed] by a rule: ${permission}` }];
      case 'ask':
        break;
    }
    if (seat.executor.permission !== 'deny') {
      this.#open.add(id);
      return [{ type: 'request', request: ruling.request }];
    }
    const why = `${permission} was refused: this executor has permission: deny`;
    send(id, { reply: 'reject', message: `The settings of this step deny ${permission} here. Go on without it.` });
    if (this.#warnings.size < maxWarnings) this.#warnings.add(`opencode: ${why}`);
    return [{ type: 'note', text: `[refused] ${why}` }];
  }
}

function whyOf(answer: RequestAnswer): string {
  return ('why' in answer ? answer.why : null) ?? 'A person refused it.';
}
