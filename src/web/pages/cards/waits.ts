// The people who may answer a card, and the work that stands still or goes on until then.
import { ableMembers, personName } from '../../../bot/index.js';
import { nameInConfig } from '../../../config/index.js';
import type { Interaction, Run } from '../../../engine/index.js';
import type { WebContext } from '../../context/web-context.js';
import { countOf, lineOf } from '../shared/text.js';
import { mayAnswer, membersOf, viewerOf } from '../shared/work-state.js';

const maxNamed = 8;
const maxLive = 3;

/** `you (owner), Carol (operator)`. */
export function waitsFor(web: WebContext, run: Run, interaction: Interaction): string {
  const members = membersOf(web, run);
  const able = ableMembers(interaction, run, { members });
  const isViewer = (name: string) => name === nameInConfig(viewerOf(web));
  const nameOf = (name: string) => (isViewer(name) ? 'you' : lineOf(personName(nameInConfig(name)), 40));
  const isOutside = !able.some(({ name }) => isViewer(name)) && mayAnswer(web, run.project, interaction);
  const named = [
    ...(isOutside ? ['you'] : []),
    ...able
      .toSorted((one, other) => Number(isViewer(other.name)) - Number(isViewer(one.name)))
      .slice(0, maxNamed)
      .map(({ name, role }) => `${nameOf(name)} (${role})`),
  ];
  const more = able.length > maxNamed ? `, and ${able.length - maxNamed} more` : '';
  return named.length === 0 ? 'the owner' : `${named.join(', ')}${more}`;
}

/** `build of US-003; build of US-004 goes on`. */
export function standsStill({ services }: WebContext, run: Run, { chain, node }: Interaction): string {
  const { reader } = services.runtime;
  const stepIn = (step: string, of: string) => lineOf(of === '' ? step : `${step} of ${of}`, 60);
  const own =
    node !== null
      ? stepIn(reader.browsing.nodeName(run.id, node) ?? node, chain)
      : run.status === 'draft'
        ? 'nothing: the task has not started'
        : run.id;
  const others = run.live.filter((live) => live.node !== node || live.chain !== chain);
  const going = others.slice(0, maxLive).map(({ step, chain: of }) => stepIn(step, of));
  const queued = reader.drafts(run.project).filter(({ id }) => id !== run.id).length;
  return [
    own,
    ...(going.length === 0 ? [] : [`${going.join(', ')} ${going.length === 1 ? 'goes' : 'go'} on`]),
    ...(queued === 0 || run.status === 'draft' ? [] : [`${countOf(queued, 'queued task')} behind it`]),
  ].join('; ');
}
