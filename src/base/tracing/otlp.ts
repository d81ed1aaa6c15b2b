import type { Attribute, Span } from './span.js';

export interface Sender {
  readonly service: string;
  readonly version: string;
}

const maxValueChars = 300;
const okCode = 1;
const errorCode = 2;
const internalKind = 1;

export function otlpBody({ service, version }: Sender, spans: readonly Span[]): string {
  const resource = { attributes: attributesOf({ 'service.name': service, 'service.version': version }) };
  const scope = { name: 'bosun', version };
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans: spans.map(spanOf) }] }] });
}

function spanOf({ traceId, spanId, parentId, name, startedAt, endedAt, isError, attributes }: Span) {
  return {
    traceId,
    spanId,
    ...(parentId !== null && { parentSpanId: parentId }),
    name: name.slice(0, maxValueChars),
    kind: internalKind,
    startTimeUnixNano: nanos(startedAt),
    // The clock may have been set back.
    endTimeUnixNano: nanos(Math.max(startedAt, endedAt)),
    attributes: attributesOf(attributes),
    status: { code: isError ? errorCode : okCode },
  };
}

/** Nanoseconds exceed JSON's safe integers. */
function nanos(ms: number): string {
  return `${Math.trunc(ms)}000000`;
}

function attributesOf(attributes: Span['attributes']) {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === null ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: Attribute) {
  if (typeof value === 'string') return { stringValue: value.slice(0, maxValueChars) };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
