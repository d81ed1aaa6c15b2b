import { type Action, leastRoleFor, mayDo, memberRole, type ProjectConfig } from '../../config/index.js';
import { personName } from '../views/view.js';

const maxNamed = 3;

const activities: Readonly<Record<Action, string>> = {
  read: 'reading',
  answer: 'answering',
  start: 'starting work',
  continue: 'continuing work',
  retry: 'retrying',
  skip: 'skipping',
  stop: 'stopping work',
  abort: 'aborting',
  rollback: 'rolling back',
  grant: 'granting a permission',
  budget: 'changing the budget',
  members: 'changing members',
  configure: 'changing the configuration',
  overrule: 'skipping a review that needs several approvals',
};

export function notAllowedText(project: ProjectConfig, by: string, action: Action): string {
  const role = memberRole(project, by);
  const allowed = Object.entries(project.members)
    .filter(([, held]) => mayDo(held, action))
    .map(([name]) => personName(name));
  const names = allowed.length > 0 && allowed.length <= maxNamed ? `: ${allowed.join(' or ')}` : '';
  const standing =
    role === null ? `You aren't a member of ${project.name}` : `You're ${withArticle(role)} in ${project.name}`;
  return `${standing}; ${activities[action]} takes ${withArticle(leastRoleFor(action))}${names}.`;
}

function withArticle(role: string): string {
  return `${/^[aeiou]/.test(role) ? 'an' : 'a'} ${role}`;
}
