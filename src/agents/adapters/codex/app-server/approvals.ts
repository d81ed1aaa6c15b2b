import { z } from 'zod';
import type { AgentRequest, RequestAnswer } from '../../port.js';
import { cutPatch, type FileChange } from '../../shared/patch-input.js';

export interface CodexRequest {
  readonly ask: WithoutId;
  readonly thread: string;
  readonly reply: (answer: RequestAnswer) => unknown;
}

type WithoutId = AgentRequest extends infer One ? (One extends AgentRequest ? Omit<One, 'id'> : never) : never;

/** `result`: a refusal in the app-server's words; absent: the reply is an error. */
export interface UnfitRequest {
  readonly why: string;
  readonly result?: unknown;
}

const text = (maxChars: number) => z.string().max(maxChars);
const words = z
  .string()
  .transform((said) => said.slice(0, 500))
  .nullish()
  .transform((said) => said ?? null);
const place = { threadId: text(200), turnId: text(200) };
const command = z.looseObject({
  ...place,
  kind: text(50).default('command'),
  command: text(200_000).nullish(),
  cwd: text(4_096).nullish(),
  reason: words,
  networkApprovalContext: z.looseObject({ host: text(500), protocol: text(50) }).nullish(),
  additionalPermissions: z.looseObject({}).nullish(),
});
const fileChange = z.looseObject({ ...place, itemId: text(200), reason: words, grantRoot: text(4_096).nullish() });
const permissions = z.looseObject({
  ...place,
  cwd: text(4_096),
  reason: words,
  permissions: z.looseObject({ network: z.looseObject({}).nullish(), fileSystem: z.looseObject({}).nullish() }),
});
const elicitation = z.looseObject({
  threadId: text(200),
  turnId: text(200).nullable(),
  serverName: text(200),
  mode: text(50),
  message: text(8_000),
  requestedSchema: z.looseObject({ properties: z.looseObject({}).optional() }).nullish(),
});
const userInput = z.looseObject({
  ...place,
  questions: z
    .array(
      z.looseObject({
        id: text(200),
        question: text(8_000),
        isSecret: z.boolean().default(false),
        options: z
          .array(z.looseObject({ label: text(500) }))
          .max(10)
          .nullish(),
      }),
    )
    .length(1),
});
const toolCall = z.looseObject({ ...place, tool: text(200), arguments: z.unknown() });
const question = z.looseObject({
  question: text(8_000).refine((said) => said.trim() !== ''),
  options: z.array(text(200)).max(10).default([]),
});

export const shellTool = 'shell';
export const patchTool = 'apply_patch';

/** `changesOf`: the changes of an announced item. */
export function readRequest(
  method: string,
  params: unknown,
  changesOf: (item: string) => readonly FileChange[] | null,
): CodexRequest | UnfitRequest {
  switch (method) {
    case 'item/commandExecution/requestApproval':
      return commandRequest(params);
    case 'item/fileChange/requestApproval':
      return patchRequest(params, changesOf);
    case 'item/permissions/requestApproval':
      return permissionsRequest(params);
    case 'mcpServer/elicitation/request':
      return elicitationRequest(params);
    case 'item/tool/requestUserInput':
      return inputRequest(params);
    case 'item/tool/call':
      return questionRequest(params);
    default:
      return { why: `Bosun does not answer ${method}` };
  }
}

function commandRequest(params: unknown): CodexRequest | UnfitRequest {
  const said = command.safeParse(params).data;
  if (said === undefined) return unfit('an unreadable request to run a command', declined);
  const { kind, cwd, networkApprovalContext: network, additionalPermissions } = said;
  if (kind !== 'command' && kind !== 'writeStdin') return unfit(`a request of kind ${kind}`, declined);
  const line = said.command ?? null;
  const more = { ...(cwd ? { cwd } : {}), ...(additionalPermissions ? { permissions: additionalPermissions } : {}) };
  if (network) {
    const { host, protocol } = network;
    return asks('network', { host, protocol, ...(line === null ? {} : { line }), ...more }, said, decide);
  }
  if (line === null || line === '') return unfit('a request without a command', declined);
  if (kind === 'writeStdin') return asks('write_stdin', { text: line, ...more }, said, decide);
  return asks(shellTool, { command: bareLine(line) ?? line, ...more }, said, decide);
}

function patchRequest(
  params: unknown,
  changesOf: (item: string) => readonly FileChange[] | null,
): CodexRequest | UnfitRequest {
  const said = fileChange.safeParse(params).data;
  const changes = said === undefined ? null : changesOf(said.itemId);
  // A person must see what they allow.
  if (said === undefined || changes === null) return unfit('a request for file changes without the changes', declined);
  const folder = said.grantRoot ? { folder: said.grantRoot } : {};
  return asks(patchTool, { ...cutPatch(changes), ...folder }, said, decide);
}

function permissionsRequest(params: unknown): CodexRequest | UnfitRequest {
  const nothing = { permissions: {}, scope: 'turn' };
  const said = permissions.safeParse(params).data;
  if (said === undefined) return unfit('an unreadable request for permissions', nothing);
  const { network, fileSystem } = said.permissions;
  const wanted = { ...(network ? { network } : {}), ...(fileSystem ? { fileSystem } : {}) };
  return asks('permissions', { ...wanted, cwd: said.cwd }, said, ({ kind }) =>
    kind === 'allowed' ? { permissions: wanted, scope: 'turn' } : nothing,
  );
}

function elicitationRequest(params: unknown): CodexRequest | UnfitRequest {
  const no = { action: 'decline', content: null, _meta: null };
  const said = elicitation.safeParse(params).data;
  const fields = Object.keys(said?.requestedSchema?.properties ?? {});
  // A card has no form and no browser.
  if (said === undefined || said.mode === 'url' || fields.length > 0) return unfit("an MCP server's form", no);
  const { threadId, turnId, serverName, message } = said;
  return asks(`mcp:${serverName}`, { message }, { threadId, turnId: turnId ?? '', reason: null }, ({ kind }) =>
    kind === 'allowed' ? { action: 'accept', content: {}, _meta: null } : no,
  );
}

function inputRequest(params: unknown): CodexRequest | UnfitRequest {
  const said = userInput.safeParse(params).data;
  const [one] = said?.questions ?? [];
  if (said === undefined || one === undefined || one.isSecret) return unfit('more than one question, or a secret one');
  const options = (one.options ?? []).map(({ label }) => label.slice(0, 200));
  return {
    thread: said.threadId,
    ask: { kind: 'question', turn: said.turnId, text: one.question, options },
    reply: (answer) => ({ answers: { [one.id]: { answers: [toldBy(answer)] } } }),
  };
}

function questionRequest(params: unknown): CodexRequest | UnfitRequest {
  const called = toolCall.safeParse(params).data;
  const said = question.safeParse(called?.arguments).data;
  if (called === undefined || said === undefined || called.tool !== 'ask_human') {
    return unfit('a tool call', toolResult('Unknown tool, or wrong arguments.', false));
  }
  return {
    thread: called.threadId,
    ask: { kind: 'question', turn: called.turnId, text: said.question, options: said.options },
    reply: (answer) => toolResult(toldBy(answer), answer.kind === 'answered'),
  };
}

const progress = toolCall.extend({
  tool: z.literal('report_progress'),
  arguments: z.looseObject({ text: text(2_000) }),
});

export function progressIn(method: string, params: unknown): string | null {
  return method === 'item/tool/call' ? (progress.safeParse(params).data?.arguments.text ?? null) : null;
}

export function toolResult(said: string, success: boolean): object {
  return { contentItems: [{ type: 'inputText', text: said }], success };
}

function asks(
  tool: string,
  input: Readonly<Record<string, unknown>>,
  { threadId, turnId, reason }: { readonly threadId: string; readonly turnId: string; readonly reason: string | null },
  reply: CodexRequest['reply'],
): CodexRequest {
  return { thread: threadId, ask: { kind: 'permission', turn: turnId, tool, input, reason }, reply };
}

const declined = { decision: 'decline' };

/** Never `acceptForSession`: Bosun keeps grants, to the character. */
function decide({ kind }: RequestAnswer): unknown {
  return kind === 'allowed' ? { decision: 'accept' } : declined;
}

function toldBy(answer: RequestAnswer): string {
  switch (answer.kind) {
    case 'answered':
      return answer.text;
    case 'allowed':
      return 'Allowed.';
    default:
      return answer.why ?? 'Refused.';
  }
}

function unfit(what: string, result?: object): UnfitRequest {
  return { why: `Bosun cannot show ${what} to a person`, ...(result === undefined ? {} : { result }) };
}

/** Null: maybe no system shell with one quoted argument, so the whole command is shown. */
export function bareLine(command: string): string | null {
  const quoted = /^(?:\/usr)?\/bin\/(?:ba|z|)sh -l?c '([^']*)'$/s.exec(command)?.[1];
  return quoted ?? /^(?:\/usr)?\/bin\/(?:ba|z|)sh -l?c ([\w./:=@%+,-]+)$/.exec(command)?.[1] ?? null;
}
