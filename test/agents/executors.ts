// How the real programs are set up to talk to a model server on loopback and to nobody else.
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { type AgentKind, bwrapOfCodex, programOf } from './programs.js';

/** The executor of config.yaml; `home` becomes the folder that the program takes for its user's. */
export function executorOf(kind: AgentKind, home: string, modelUrl: string) {
  mkdirSync(home, { recursive: true });
  prepare(kind, home, modelUrl);
  return { kind, program: programOf(kind), env: { HOME: home, ...onlyThrough(modelUrl), ...own[kind](modelUrl) } };
}

/** The model server is the proxy for all the rest: it refuses, and remembers who was wanted. */
function onlyThrough(modelUrl: string): Record<string, string> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
  const direct = '127.0.0.1,localhost';
  return { ...Object.fromEntries(names.map((name) => [name, modelUrl])), NO_PROXY: direct, no_proxy: direct };
}

const own: Readonly<Record<AgentKind, (modelUrl: string) => Record<string, string>>> = {
  claude: (modelUrl) => ({
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'dummy',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_MAX_RETRIES: '1',
    DISABLE_AUTOUPDATER: '1',
  }),
  codex: () => ({ MODEL_KEY: 'dummy', PATH: withOwnBwrap() }),
  opencode: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  }),
};

/**
 * A PATH on which Codex finds its own bwrap before the system's. A bwrap before 0.9 has no `--argv0`: Codex then needs
 * helpers in its home, and puts none below the temporary folder, where these tests have it. Codex takes no bwrap from
 * below /tmp: in a checkout there these tests fail beside an old system bwrap.
 */
function withOwnBwrap(): string {
  const [path, bwrap] = [process.env['PATH'] ?? '', bwrapOfCodex()];
  return bwrap === null ? path : `${dirname(bwrap)}${delimiter}${path}`;
}

function prepare(kind: AgentKind, home: string, modelUrl: string): void {
  switch (kind) {
    case 'claude':
      return;
    case 'codex':
      mkdirSync(join(home, '.codex'), { recursive: true });
      writeFileSync(join(home, '.codex', 'config.toml'), codexConfig(modelUrl));
      return;
    case 'opencode':
      mkdirSync(join(home, '.config', 'opencode'), { recursive: true });
      writeFileSync(join(home, '.config', 'opencode', 'opencode.json'), JSON.stringify(opencodeConfig(modelUrl)));
      // It installs a package for plugins beside its configuration; without the network it goes on without.
      writeFileSync(join(home, '.npmrc'), 'offline=true\n');
  }
}

/** Plugins and analytics would look up their own servers at each start. */
function codexConfig(modelUrl: string): string {
  return `model = "local"
model_provider = "local"
[model_providers.local]
name = "local"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "MODEL_KEY"
request_max_retries = 1
stream_max_retries = 1
[analytics]
enabled = false
[features]
plugins = false
`;
}

function opencodeConfig(modelUrl: string) {
  const options = { baseURL: `${modelUrl}/v1`, apiKey: 'dummy' };
  const models = { small: { name: 'small' } };
  return {
    model: 'local/small',
    provider: { local: { npm: '@ai-sdk/openai-compatible', name: 'local', options, models } },
  };
}
