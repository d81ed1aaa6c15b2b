// All chains as one list, with loops unrolled and items not begun yet.
import {
  asksPerson,
  bodyOf,
  type Chain,
  emptyChain,
  fill,
  hasBody,
  type Item,
  isDecided,
  judgesFiles,
  type Node,
  type NodeDef,
  type ReviewVerdict,
  runsJob,
  templateValues,
} from '../../engine/index.js';
import type { Spine } from '../../store/index.js';
import { defOf } from './formats.js';

export interface SessionStep {
  readonly index: number;
  readonly type: 'skill' | 'decision';
  readonly skill: string;
  readonly args: string;
  readonly status: 'pending' | 'running' | 'completed' | 'failed' | 'skipped';
  /** Stable under insertions; null: the chain does not exist yet. */
  readonly node: string | null;
  readonly wave: number | null;
  readonly outcome?: ReviewVerdict;
}

export interface StepsSource {
  readonly spine: Spine;
  readonly chainOf: (key: string) => Chain | null;
}

type Place = { readonly chain: Chain; readonly def: NodeDef | null } & (
  | { readonly node: Node }
  | { readonly node: null; readonly def: NodeDef }
);

/** Bounds a cyclic workflow. */
const maxDepth = 5;

const coordinator = 'maestro-ralph';

export function sessionSteps(source: StepsSource, waveOf: ReadonlyMap<string, number>): readonly SessionStep[] {
  const valuesOf = valueReader(source.spine);
  return placesOf(source, '', 0).map((place, index) => ({
    index,
    ...callOf(place, valuesOf(place.chain)),
    status: statusOf(place.node),
    node: place.node?.id ?? null,
    wave: (place.node && waveOf.get(place.node.id)) ?? null,
    ...(place.node?.verdict ? { outcome: place.node.verdict } : {}),
  }));
}

function placesOf(source: StepsSource, key: string, depth: number): readonly Place[] {
  const chain = source.chainOf(key);
  if (!chain || depth > maxDepth) return [];
  return chain.nodes.flatMap((node): readonly Place[] => {
    // Done before the run, hence not part of it.
    if (node.state === 'skipped' && node.skipReason?.type === 'inferred') return [];
    const def = defOf(source.spine.workflow, node.template);
    if (!hasBody(node)) return [{ chain, node, def }];
    const items = source.spine.items.filter((item) => item.loop === node.id);
    if (items.length > 0) return items.flatMap((item) => placesOfItem(source, item, def, depth));
    return def && isToCome(node) ? planned(emptyChain(key), bodyOf(def), depth) : [];
  });
}

function placesOfItem(source: StepsSource, item: Item, def: NodeDef | null, depth: number): readonly Place[] {
  const chain = source.chainOf(item.key);
  if (chain && chain.nodes.length > 0) return placesOf(source, item.key, depth + 1);
  const isOver = item.status === 'done' || item.status === 'cancelled';
  return isOver || !def ? [] : planned(emptyChain(item.key), bodyOf(def), depth);
}

function planned(chain: Chain, defs: readonly NodeDef[], depth: number): readonly Place[] {
  if (depth > maxDepth) return [];
  return defs.flatMap((def): readonly Place[] =>
    hasBody(def) ? planned(chain, def.body, depth + 1) : [{ chain, node: null, def }],
  );
}

function isToCome({ state }: Node): boolean {
  return state === 'waiting' || state === 'ready' || state === 'running' || state === 'queued';
}

function callOf(place: Place, values: Values): Pick<SessionStep, 'type' | 'skill' | 'args'> {
  const { node, def } = place;
  const template = node?.template ?? def?.id ?? '';
  const kinded = node ?? def;
  if (kinded !== null && isDecided(kinded)) {
    const max = def !== null && judgesFiles(def) ? def.gate.maxRetries : null;
    const counts = max === null ? {} : { retry_count: node?.retry ?? 0, max_retries: max };
    return { type: 'decision', skill: coordinator, args: JSON.stringify({ decision: template, ...counts }) };
  }
  const args = rendered(
    node?.args ?? ((def && runsJob(def) && def.args) || ''),
    node && node.dispatches > 0 ? values : withoutEmpty(values),
  );
  return { type: 'skill', skill: (def && runsJob(def) && def.call) || template, args };
}

type Values = Readonly<Record<string, string>>;

/** Empty values are unknown until dispatch. */
function withoutEmpty(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}

function rendered(template: string, values: Values): string {
  const { text, missing } = fill(template, values);
  if (missing.length === 0) return text;
  return fill(template, { ...values, ...Object.fromEntries(missing.map((key) => [key, `{{${key}}}`])) }).text;
}

function valueReader(spine: Spine): (chain: Chain) => Values {
  const known = new Map<string, Values>();
  return (chain) => {
    const values = known.get(chain.key) ?? templateValues({ ...spine, chain });
    known.set(chain.key, values);
    return values;
  };
}

function statusOf(node: Node | null): SessionStep['status'] {
  switch (node?.state) {
    case undefined:
    case 'waiting':
    case 'ready':
      return 'pending';
    case 'queued':
    case 'running':
      return 'running';
    case 'passed':
      return 'completed';
    case 'failed':
    case 'cancelled':
      return 'failed';
    case 'skipped':
      return 'skipped';
    case 'needs_human':
      return asked(node);
  }
}

/** An escalation is complete once asked, a gate once answered. */
function asked(node: Node): SessionStep['status'] {
  if (asksPerson(node)) return 'completed';
  return judgesFiles(node) ? 'pending' : 'running';
}
