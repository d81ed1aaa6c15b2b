import { z } from 'zod';
import { definitions, type FoundStep, runsJob, type Workflow } from '../../engine/index.js';
import {
  type Beside,
  bodyOf,
  clipped,
  type FoundFile,
  type FoundState,
  faultOf,
  jsonIn,
  longText,
  shortText,
  unreadable,
} from './found.js';

const stepSchema = z.looseObject({
  type: shortText.nullish(),
  skill: shortText.nullish(),
  args: z.union([longText, z.record(z.string(), z.unknown())]).nullish(),
  status: shortText,
});
const sessionSchema = z.looseObject({
  intent: longText.nullish(),
  status: shortText,
  phase: z.union([z.number(), shortText]).nullish(),
  milestone: shortText.nullish(),
  context: z.record(z.string(), z.unknown()).nullish(),
  steps: z.array(stepSchema).max(2_000),
});
const decisionSchema = z.looseObject({
  decision: shortText,
  retry_count: z.number().int().min(0).max(100).nullish(),
});

type Session = z.infer<typeof sessionSchema>;
type Step = z.infer<typeof stepSchema>;

/** Null: the session ended. */
export function readSession(file: FoundFile, { workflow }: Beside): FoundState | null {
  const json = jsonIn(file);
  if ('fault' in json) return unreadable('session', file.path, json.fault);
  const parsed = sessionSchema.safeParse(json.value);
  if (!parsed.success) return unreadable('session', file.path, faultOf(parsed.error));
  const session = parsed.data;
  if (/^(completed|done|cancelled|aborted)$/i.test(session.status)) return null;
  const templateOf = templates(workflow);
  const read = statesOf(session).flatMap(({ step, state }) => {
    const found = foundStep(step, state, templateOf);
    return found === null ? [] : [found];
  });
  const steps = withStepsBefore(currentPart(read, workflow), workflow);
  const unknown = session.steps.filter((step) => foundStep(step, 'open', templateOf) === null).map(nameOf);
  const isOpen = read.some(({ state }) => state === 'open');
  return {
    format: 'session',
    path: file.path,
    task: session.intent || null,
    words: wordsOf(session, unknown),
    resume: isOpen
      ? {
          stories: [],
          session: { steps, begin: null, attempt: 1, notes: notesOf(session, file) },
          context: contextOf(session, workflow),
        }
      : null,
    fits: workflow.survey !== null && unknown.length < session.steps.length,
  };
}

/** A failed session marks steps that it never reached as skipped: they are open. */
function statesOf({ steps }: Session): readonly { readonly step: Step; readonly state: FoundStep['state'] }[] {
  const failedAt = steps.findIndex(({ status }) => status === 'failed');
  return steps.map((step, index) => {
    const isLost = failedAt >= 0 && index > failedAt;
    if (step.status === 'completed') return { step, state: 'done' };
    return { step, state: step.status === 'skipped' && !isLost ? 'skipped' : 'open' };
  });
}

type TemplateOf = (name: string) => string | null;

function templates(workflow: Workflow): TemplateOf {
  const names = definitions(workflow).flatMap((def) =>
    [def.id, ...(runsJob(def) && def.call ? [def.call] : [])].map((name) => [name, def.id] as const),
  );
  const byCall = new Map(names);
  return (name) => byCall.get(name) ?? byCall.get(name.replace(/^(maestro|quality)-/, '')) ?? null;
}

function nameOf(step: Step): string {
  return decisionOf(step)?.decision ?? step.skill ?? 'a step without a name';
}

function decisionOf({ type, args }: Step): z.infer<typeof decisionSchema> | null {
  if (type !== 'decision' || !args) return null;
  const parsed = decisionSchema.safeParse(typeof args === 'string' ? jsonOf(args) : args);
  return parsed.success ? parsed.data : null;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function foundStep(step: Step, state: FoundStep['state'], templateOf: TemplateOf): FoundStep | null {
  const decision = decisionOf(step);
  const template = templateOf(decision?.decision ?? step.skill ?? '');
  if (template === null) return null;
  // Braces mean unfilled; the arguments are rendered anew.
  const args = typeof step.args === 'string' && decision === null && !/[{}]/.test(step.args) ? step.args : '';
  return {
    template,
    state,
    ...(decision?.retry_count ? { retry: decision.retry_count } : {}),
    ...(args === '' ? {} : { args: clipped(args, 1_000) }),
  };
}

/** Of several phases only the last begun one is current. */
function currentPart(steps: readonly FoundStep[], workflow: Workflow): readonly FoundStep[] {
  const [first = ''] = bodyOf(workflow);
  const starts = steps.flatMap(({ template }, index) => (template === first ? [index] : []));
  const open = steps.findIndex(({ state }) => state === 'open');
  const start = starts.findLast((index) => index <= open) ?? -1;
  const end = starts.find((index) => index > start) ?? steps.length;
  const own = new Set(workflow.chain.map(({ id }) => id));
  return steps.filter(({ template }, index) => own.has(template) || (index >= start && index < end));
}

/** The session's list omits earlier stages: they count as done. */
function withStepsBefore(steps: readonly FoundStep[], workflow: Workflow): readonly FoundStep[] {
  const body = bodyOf(workflow);
  const at = steps.findIndex(({ template }) => body.includes(template));
  const missing = body.slice(0, Math.max(0, body.indexOf(steps[at]?.template ?? '')));
  const before = missing.map((template): FoundStep => ({ template, state: 'done' }));
  return at < 0 ? steps : [...steps.slice(0, at), ...before, ...steps.slice(at)];
}

function wordsOf({ intent, status, phase, milestone, steps }: Session, unknown: readonly string[]): readonly string[] {
  const done = steps.filter((step) => step.status === 'completed').length;
  const next = steps.find((step) => step.status !== 'completed' && step.status !== 'skipped');
  const retries = steps.flatMap((step) => {
    const count = decisionOf(step)?.retry_count ?? 0;
    return count > 0 && step.status !== 'completed' ? [`${nameOf(step)}: retry ${count}`] : [];
  });
  const where = [milestone, phase === null || phase === undefined ? null : `phase ${phase}`].filter(Boolean).join(', ');
  return [
    `${status}${where === '' ? '' : `, ${where}`}: ${clipped((intent || 'no intent').split('\n')[0] ?? '', 200)}`,
    next ? `Next: ${nameOf(next)}; ${done} of ${steps.length} steps are done` : 'All of its work is done.',
    ...retries,
    ...(unknown.length > 0 ? [`Unknown here, so left out: ${[...new Set(unknown)].slice(0, 10).join(', ')}`] : []),
  ];
}

function notesOf(session: Session, { path }: FoundFile): string {
  const values = Object.entries(session.context ?? {}).filter(([, value]) => typeof value === 'string' && value !== '');
  const lines = values.slice(0, 50).map(([key, value]) => `${key}: ${clipped(String(value), 500)}`);
  return [`Taken over from another orchestrator: ${path}.`, ...lines].join('\n');
}

function contextOf({ context, phase, milestone }: Session, workflow: Workflow): Readonly<Record<string, string>> {
  const known = new Set(
    [...Object.keys(workflow.context), ...Object.keys(workflow.inputs)].filter((key) => key !== 'task'),
  );
  const given = Object.entries({ ...context, phase, milestone });
  const texts = given.flatMap(([key, value]) => {
    const text = typeof value === 'number' ? String(value) : value;
    return known.has(key) && typeof text === 'string' && text !== '' ? [[key, clipped(text, 2_000)] as const] : [];
  });
  return Object.fromEntries(texts);
}
