import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { AgentSeat, RequestAnswer } from '../port.js';
import { type Json, objectOf, textAt, valueAt } from '../shared/foreign-json.js';
import type { ScriptRequest } from '../shared/line-scripts.js';
import { commandRuling, editsUnasked } from '../shared/own-rules.js';
import type { Asking, Unfit } from './client-requests.js';
import type { AcpToolCall, ToolCalls } from './tool-calls.js';

const maxInputChars = 8_000;

const permission = z.looseObject({
  toolCall: z.looseObject({ toolCallId: z.string().max(500) }),
  options: z.array(z.looseObject({ optionId: z.string().max(500), kind: z.string().max(50) })).max(50),
});

type Options = z.infer<typeof permission>['options'];

export function permissionRequest(params: unknown, calls: ToolCalls, seat: AgentSeat): Asking | Unfit {
  const said = permission.safeParse(params).data;
  if (said === undefined) return { kind: 'unfit', why: 'a permission cannot be read', result: cancelled };
  const { options } = said;
  const rejected = choice(options, 'reject_once');
  const call = calls.note(said.toolCall);
  const input = call === null ? null : inputOf(call);
  // A person must see what they allow.
  if (call === null || input === null)
    return { kind: 'unfit', why: 'a permission for nothing named', result: rejected };
  const allowed = options.find(({ kind }) => kind === 'allow_once');
  if (allowed === undefined) {
    return { kind: 'unfit', why: `${toolOf(call)} cannot be allowed only once, so it was refused`, result: rejected };
  }
  const ruling = rule(call, seat);
  return {
    kind: 'asking',
    ask: { kind: 'permission', tool: toolOf(call), input: boundedInput(input), reason: null, ...scriptOf(ruling) },
    isRuled: ruling === 'allowed',
    forbidden: whyForbidden(call, seat),
    settle: (answer: RequestAnswer) => ({ result: answer.kind === 'allowed' ? selected(allowed.optionId) : rejected }),
    cancelled: { result: cancelled },
  };
}

/** A grant is bound to this command, path or tool. Null: the agent names none. */
function inputOf({ title, input, changes, paths }: AcpToolCall): Json | null {
  const command = textAt(input, 'command') ?? textAt(input, 'cmd');
  const named = { ...(command === null ? {} : { command }), ...(title === null ? {} : { title }) };
  const whole = {
    ...named,
    ...(input === null ? {} : { input }),
    ...(input === null && changes.length > 0 ? { changes } : {}),
    ...(input === null && paths.length > 0 ? { paths } : {}),
  };
  return Object.keys(whole).length === 0 ? null : whole;
}

/** The hash binds the answer to the part that is cut. */
export function boundedInput(input: Json): Json {
  const whole = JSON.stringify(input);
  if (whole.length <= maxInputChars) return input;
  const sha256 = createHash('sha256').update(whole).digest('hex');
  return { what: whole.slice(0, maxInputChars), chars: whole.length, sha256 };
}

function toolOf({ kind }: AcpToolCall): string {
  return kind === 'execute' ? 'shell' : (kind ?? 'other').slice(0, 50);
}

function rule({ kind, title, input, paths }: AcpToolCall, seat: AgentSeat): ReturnType<typeof commandRuling> {
  const command = textAt(input, 'command');
  switch (kind) {
    case 'execute':
      return command === null ? null : commandRuling(command, cwdIn(input) ?? seat.workdir, seat);
    case 'edit':
      return paths.length > 0 && paths.every((path) => editsUnasked(path, seat)) ? 'allowed' : null;
    case 'other':
    case null:
      return ownTool.test(title ?? '') ? 'allowed' : null;
    default:
      return null;
  }
}

/** Names the changed script instead of the line that runs it. */
export function scriptOf(ruling: ReturnType<typeof commandRuling>): Partial<ScriptRequest> {
  return ruling === 'allowed' || ruling === null ? {} : ruling;
}

/** Agents spell the prefix differently. */
const ownTool = /^(?:mcp__)?bosun_{1,2}(?:ask_human|report_progress)$/;

function cwdIn(input: Json | null): unknown {
  return valueAt(input, 'cwd') ?? valueAt(input, 'workdir') ?? valueAt(input, 'directory');
}

/** Null: a person may decide. */
function whyForbidden({ kind }: AcpToolCall, { access }: AgentSeat): string | null {
  const isEdit = kind === 'edit' || kind === 'delete' || kind === 'move';
  if (isEdit && access !== 'write') return 'this step may not edit files';
  return kind === 'execute' && access === 'read' ? 'this step may not run commands' : null;
}

const cancelled = { outcome: { outcome: 'cancelled' } };

function selected(optionId: string): object {
  return { outcome: { outcome: 'selected', optionId } };
}

/** Never an option that the agent remembers: Bosun keeps grants, to the character. */
function choice(options: Options, wanted: 'reject_once'): object {
  const found = options.find(({ kind }) => kind === wanted);
  return found === undefined ? cancelled : selected(found.optionId);
}

const elicitation = z.looseObject({
  mode: z.literal('form'),
  message: z.string().max(8_000),
  requestedSchema: z.looseObject({ properties: z.record(z.string().max(200), z.unknown()).default({}) }),
});
const choices = z.looseObject({
  type: z.literal('string'),
  enum: z.array(z.string().max(200)).max(10).nullish(),
  oneOf: z
    .array(z.looseObject({ const: z.string().max(200), title: z.string().max(200).nullish() }))
    .max(10)
    .nullish(),
});

/** A card has one question with options, not a form. */
export function elicitationRequest(params: unknown): Asking | Unfit {
  const declined = { action: 'decline' };
  const said = elicitation.safeParse(params).data;
  const [[name, property] = [], ...more] = Object.entries(said?.requestedSchema.properties ?? {});
  const field = choices.safeParse(property).data;
  if (
    said === undefined ||
    name === undefined ||
    field === undefined ||
    more.length > 0 ||
    said.message.trim() === ''
  ) {
    return { kind: 'unfit', why: 'a form cannot be put to a person', result: declined };
  }
  const values = field.oneOf?.map((one) => ({ value: one.const, shown: one.title ?? one.const }));
  const offered = values ?? (field.enum ?? []).map((value) => ({ value, shown: value }));
  return {
    kind: 'asking',
    ask: { kind: 'question', text: said.message, options: offered.map(({ shown }) => shown) },
    isRuled: false,
    forbidden: null,
    settle: (answer) => {
      if (answer.kind !== 'answered') return { result: { action: 'cancel' } };
      const chosen = offered.find(({ shown }) => shown === answer.said)?.value;
      const value = chosen ?? (offered.length === 0 ? answer.said : null);
      return {
        result: value === null ? declined : { action: 'accept', content: { [name]: value } },
        untold: value === null ? answer.text : null,
      };
    },
    cancelled: { result: { action: 'cancel' } },
  };
}

export function sessionIn(params: unknown): string | null {
  return textAt(objectOf(params), 'sessionId');
}
