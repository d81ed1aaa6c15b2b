// What Bosun sends over ACP, against the schema of the official SDK, which the tests install beside the real agents.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { modulesFolder } from '../programs.js';
import { attempt } from './given-acp.js';

const path = join(modulesFolder, '@agentclientprotocol/sdk/schema/v1/schema.json');

/** The definition of what Bosun sends by its method, and of its answer by the agent's. */
const sent: Readonly<Record<string, string>> = {
  initialize: 'InitializeRequest',
  'session/new': 'NewSessionRequest',
  'session/load': 'LoadSessionRequest',
  'session/set_config_option': 'SetSessionConfigOptionRequest',
  'session/prompt': 'PromptRequest',
};
const answered: Readonly<Record<string, string>> = {
  'session/request_permission': 'RequestPermissionResponse',
  'fs/read_text_file': 'ReadTextFileResponse',
  'fs/write_text_file': 'WriteTextFileResponse',
  'terminal/create': 'CreateTerminalResponse',
  'terminal/output': 'TerminalOutputResponse',
  'terminal/wait_for_exit': 'WaitForTerminalExitResponse',
  'terminal/kill': 'KillTerminalResponse',
  'terminal/release': 'ReleaseTerminalResponse',
  'elicitation/create': 'CreateElicitationResponse',
};

const turn = `const results = {};
  const note = async (method, params) => { mark({ method, result: (results[method] = await ask(method, params)) }); };
  const here = process.cwd();
  await note('session/request_permission', { toolCall: { toolCallId: 'c', title: 'git push' }, options });
  await note('fs/write_text_file', { path: here + '/a', content: 'a' });
  await note('fs/read_text_file', { path: here + '/a' });
  await note('terminal/create', { command: 'echo on' });
  for (const method of ['wait_for_exit', 'output', 'kill', 'release']) await note('terminal/' + method, results['terminal/create']);
  await note('elicitation/create', { mode: 'form', message: 'Up?', requestedSchema: { type: 'object', properties: { a: { type: 'string' } } } });
  say('STATUS: done'); end();`;

it.skipIf(!existsSync(path))('each message that Bosun sends over ACP fits the schema of the SDK', async () => {
  const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false });
  ajv.addSchema(z.looseObject({}).parse(JSON.parse(readFileSync(path, 'utf8'))), 'acp');
  const misfits = (name: string | undefined, value: unknown) => {
    const check = ajv.getSchema(`acp#/$defs/${name}`);
    if (check === undefined) return `there is no ${name}`;
    return check(value) === true ? null : `${name}: ${ajv.errorsText(check.errors)} in ${JSON.stringify(value)}`;
  };
  const answer = ({ path: asked }: { readonly path: string }) =>
    asked === '/agent/ask' ? { state: 'answered', text: 'Up', by: 'ada' } : { state: 'allowed' };
  const { heard, done, envelope } = await attempt({ turn, answer });
  const again = await attempt({ turn, answer, spec: { resume: { session: 'acp:s-1', prompt: 'Go on.' } } });
  expect(envelope.fault).toBeNull();
  const requests = [...heard, ...again.heard].flatMap(({ method, params }) =>
    method === undefined ? [] : [{ method, params }],
  );
  const results = done.map((line) => z.object({ method: z.string(), result: z.unknown() }).parse(JSON.parse(line)));
  expect(new Set(results.map(({ method }) => method))).toEqual(new Set(Object.keys(answered)));
  expect(new Set(requests.map(({ method }) => method)).size).toBe(4);
  const found = [
    ...requests.map(({ method, params }) => misfits(sent[method], params)),
    ...results.map(({ method, result }) => misfits(answered[method], result)),
    misfits('SetSessionConfigOptionRequest', { sessionId: 's', configId: 'm', value: 'small' }),
    misfits('CancelNotification', { sessionId: 's' }),
  ];
  expect(found.filter((one) => one !== null)).toEqual([]);
  expect(misfits('PromptRequest', { sessionId: 1 })).toContain('PromptRequest');
});
