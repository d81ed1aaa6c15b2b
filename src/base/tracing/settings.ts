import { BosunError } from '../error.js';

export interface TraceSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly service: string;
}

export function traceSettings(env: NodeJS.ProcessEnv): TraceSettings | null {
  const said = (name: string) => (env[name] ?? '').trim();
  if (said('OTEL_SDK_DISABLED').toLowerCase() === 'true' || said('OTEL_TRACES_EXPORTER') === 'none') return null;
  const own = said('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const shared = said('OTEL_EXPORTER_OTLP_ENDPOINT');
  if (own === '' && shared === '') return null;
  const url = own === '' ? `${shared.replace(/\/+$/, '')}/v1/traces` : own;
  if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url)) {
    const name = own === '' ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
    throw new BosunError('usage', `${name} is not an HTTP address`, {
      hint: 'Use the address of an OTLP/HTTP collector, such as http://127.0.0.1:4318.',
    });
  }
  const headers = said('OTEL_EXPORTER_OTLP_TRACES_HEADERS') || said('OTEL_EXPORTER_OTLP_HEADERS');
  return { url, headers: headersOf(headers), service: said('OTEL_SERVICE_NAME') || 'bosun' };
}

const maxHeaders = 50;

/** `name=value,name=value`, percent-encoded; skips invalid pairs. */
function headersOf(said: string): Readonly<Record<string, string>> {
  const pairs = said.split(',').slice(0, maxHeaders);
  const entries = pairs.flatMap((pair) => {
    const [, name, value] = /^\s*([\w-]+)\s*=(.*)$/.exec(pair) ?? [];
    return name === undefined || value === undefined ? [] : [[name, decoded(value.trim())] as const];
  });
  return Object.fromEntries(entries);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
