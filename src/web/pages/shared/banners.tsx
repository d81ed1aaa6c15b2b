// Every page shows a trouble until it is fixed, with its limits and the remedy.
import type { WebContext } from '../../context/web-context.js';
import { Icon } from './icons.js';
import { lineOf } from './text.js';

interface Problem {
  readonly title: string;
  readonly words: string;
}

export function bannersOf({ services, who }: Pick<WebContext, 'services' | 'who'>): readonly Problem[] {
  const { runtime } = services;
  const { problem, waiting } = runtime.writeState;
  const found: Problem[] = [];
  if (problem !== null)
    found.push({
      title: 'Bosun cannot write its database',
      words:
        `${said(problem)}. Reading works; answers and tasks are refused until it is mended` +
        `${waiting > 0 ? `, and ${waiting} finished ${waiting === 1 ? 'result waits' : 'results wait'} in memory` : ''}. ` +
        'Check the disk of the home folder.',
    });
  const refused = services.configProblem();
  if (refused !== null && who.kind === 'home-owner')
    found.push({
      title: 'config.yaml is refused',
      words: `${said(refused)}. The version before it stays in force.`,
    });
  const redis = runtime.queueState().problem;
  if (redis !== null && who.kind === 'home-owner')
    found.push({
      title: 'Redis does not answer',
      words: `${said(redis)}. Nothing is lost: work continues by itself once Redis is back.`,
    });
  return found;
}

const said = (problem: string) => lineOf(problem, 300).replace(/\.$/, '');

export function Banners({ problems }: { readonly problems: readonly Problem[] }) {
  return (
    <div id="banners" data-live="beside" role="status">
      {problems.map(({ title, words }) => (
        <p class="notice bad" dir="auto">
          <Icon name="fail" />
          <span>
            <strong>{title}</strong> {words}
          </span>
        </p>
      ))}
    </div>
  );
}
