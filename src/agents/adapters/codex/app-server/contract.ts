// Bosun relies on these parts of an experimental protocol. Compares them with the schema that the installed program
// prints, so that doctor reports a difference before an attempt meets it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { type Environment, plainEnvironment } from '../../../../base/index.js';
import type { AgentConfig } from '../../../../jobs/index.js';
import { runOnce } from '../../../processes/run-once.js';
import { type Limit, probeConversing } from '../../agent-version.js';

const limitMs = 10_000;
const maxNamed = 5;

const methods: Readonly<Record<string, readonly string[]>> = {
  ClientRequest: ['initialize', 'thread/start', 'thread/resume', 'turn/start', 'turn/steer', 'turn/interrupt'],
  ServerRequest: [
    'item/commandExecution/requestApproval',
    'item/fileChange/requestApproval',
    'item/permissions/requestApproval',
    'mcpServer/elicitation/request',
    'item/tool/requestUserInput',
    'item/tool/call',
  ],
  ServerNotification: [
    'item/started',
    'item/completed',
    'thread/tokenUsage/updated',
    'turn/completed',
    'serverRequest/resolved',
    'error',
    'warning',
  ],
};

const fields: Readonly<Record<string, readonly string[]>> = {
  InitializeCapabilities: ['experimentalApi', 'requestAttestation'],
  'v2/ThreadStartParams': ['cwd', 'model', 'approvalPolicy', 'approvalsReviewer', 'sandbox', 'dynamicTools'],
  'v2/ThreadResumeParams': [
    'threadId',
    'cwd',
    'model',
    'approvalPolicy',
    'approvalsReviewer',
    'sandbox',
    'excludeTurns',
  ],
  'v2/TurnStartParams': ['threadId', 'input'],
  'v2/TurnSteerParams': ['threadId', 'expectedTurnId', 'input'],
  'v2/TurnInterruptParams': ['threadId', 'turnId'],
  'v2/Turn': ['id', 'status', 'error'],
  'v2/TurnError': ['message'],
  'v2/ErrorNotification': ['error', 'willRetry'],
  'v2/ThreadTokenUsageUpdatedNotification': ['threadId', 'tokenUsage'],
  'v2/ThreadTokenUsage': ['total'],
  'v2/TokenUsageBreakdown': ['inputTokens', 'cachedInputTokens', 'outputTokens'],
  'v2/FileUpdateChange': ['path', 'kind', 'diff'],
  'v2/ServerRequestResolvedNotification': ['requestId'],
  CommandExecutionRequestApprovalParams: [
    ...['threadId', 'turnId', 'kind', 'command', 'cwd', 'reason', 'networkApprovalContext', 'additionalPermissions'],
  ],
  CommandExecutionRequestApprovalResponse: ['decision'],
  FileChangeRequestApprovalParams: ['threadId', 'turnId', 'itemId', 'reason', 'grantRoot'],
  FileChangeRequestApprovalResponse: ['decision'],
  PermissionsRequestApprovalParams: ['threadId', 'turnId', 'cwd', 'reason', 'permissions'],
  PermissionsRequestApprovalResponse: ['permissions', 'scope'],
  McpServerElicitationRequestResponse: ['action', 'content'],
  ToolRequestUserInputParams: ['threadId', 'turnId', 'questions'],
  DynamicToolCallParams: ['threadId', 'turnId', 'tool', 'arguments'],
  DynamicToolCallResponse: ['contentItems', 'success'],
};

/** Values that Bosun relies on. */
const values: Readonly<Record<string, readonly string[]>> = {
  'v2/AskForApproval': ['untrusted', 'on-request', 'never'],
  'v2/SandboxMode': ['read-only', 'workspace-write', 'danger-full-access'],
  'v2/ApprovalsReviewer': ['user'],
  'v2/TurnStatus': ['completed'],
  CommandExecutionApprovalDecision: ['accept', 'decline'],
  FileChangeApprovalDecision: ['accept', 'decline'],
};

const schema = z.looseObject({
  definitions: z.looseObject({ v2: z.record(z.string(), z.unknown()) }),
});

/** Empty: Bosun fits. */
export function differences(generated: unknown): readonly string[] {
  const read = schema.safeParse(generated).data;
  if (read === undefined) return ['its schema has an unknown form'];
  const { definitions } = read;
  const found = (name: string): unknown => {
    const own = name.startsWith('v2/') ? definitions.v2[name.slice(3)] : definitions[name];
    return own ?? definitions.v2[name];
  };
  const lacking = (table: typeof fields, says: (definition: unknown, word: string) => boolean, join: string) =>
    Object.entries(table).flatMap(([name, words]) =>
      words.filter((word) => !says(found(name), word)).map((word) => `${name}${join}${word}`),
    );
  return [...lacking(methods, holdsWord, ' '), ...lacking(fields, hasField, '.'), ...lacking(values, holdsWord, ' ')];
}

const object = z.looseObject({ properties: z.record(z.string(), z.unknown()) });

function hasField(definition: unknown, name: string): boolean {
  const read = object.safeParse(definition).data;
  return read !== undefined && Object.hasOwn(read.properties, name);
}

function holdsWord(definition: unknown, word: string): boolean {
  return JSON.stringify(definition ?? null).includes(JSON.stringify(word));
}

export const probeCodex = probeConversing({ oneShotMode: 'exec', whyLimited });

async function whyLimited(agent: AgentConfig, parent: Environment, folder: string): Promise<Limit | null> {
  const hint = 'Use the version that docs/agents.md names.';
  const told = await schemaOf(agent, parent, folder);
  if ('why' in told) return { why: `it has no app-server and cannot ask a person (${told.why})`, hint };
  const lacking = differences(told.schema);
  if (lacking.length === 0) return null;
  const named = lacking.slice(0, maxNamed).join(', ');
  const more = lacking.length > maxNamed ? `, and ${lacking.length - maxNamed} more` : '';
  return { why: `its app-server lacks ${named}${more}`, hint };
}

export async function schemaOf(
  { program, kind, env }: Pick<AgentConfig, 'program' | 'kind' | 'env'>,
  parent: Environment,
  folder: string,
): Promise<{ readonly schema: unknown } | { readonly why: string }> {
  const out = mkdtempSync(join(tmpdir(), 'bosun-codex-'));
  try {
    const end = await runOnce({
      argv: [program ?? kind, 'app-server', 'generate-json-schema', '--experimental', '--out', out],
      cwd: folder,
      env: { ...plainEnvironment(parent), ...env },
      input: '',
      timeoutMs: limitMs,
      maxBytes: 64 * 1024,
    });
    if (end.kind === 'failed') return { why: end.why };
    return { schema: JSON.parse(readFileSync(join(out, 'codex_app_server_protocol.schemas.json'), 'utf8')) };
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
