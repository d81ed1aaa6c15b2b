// The doctor's look at a project's repository: what would stop a run, or keep its work from going where it should.
import type { ProjectConfig } from '../../config/index.js';
import { examineRepository, listRemotes, unlinkable } from '../../workspace/index.js';
import { broken, doubtful, type Finding } from './finding.js';

/** `onPath` finds a program. The folder is under git. */
export async function checkRepository(
  project: ProjectConfig,
  title: string,
  onPath: (program: string) => string | null,
): Promise<readonly Finding[]> {
  const troubles = await examineRepository(project.root, Date.now());
  const found = troubles.map(({ isBroken, what, mend }) => (isBroken ? broken : doubtful)(title, what, mend));
  const links = await unlinkable(project.root, project.worktree.link ?? []);
  const named = links.map((why) =>
    doubtful(title, `worktree.link: ${why}`, 'Mend the list, or make it and ignore it.'),
  );
  return [...found, ...named, ...(await deliveryFindings(project, title, onPath))];
}

async function deliveryFindings(
  { root, deliver, git }: ProjectConfig,
  title: string,
  onPath: (program: string) => string | null,
): Promise<readonly Finding[]> {
  const wanted = git.remote ?? 'origin';
  const isAddress = /[:/]/.test(wanted);
  if (deliver !== 'push' && deliver !== 'pr') {
    if (git.remote === null || isAddress || (await listRemotes(root)).includes(wanted)) return [];
    const mend = `git -C ${JSON.stringify(root)} remote add ${wanted} <address>, or mend git.remote.`;
    return [broken(title, `git.remote is ${wanted}, and there is no such remote`, mend)];
  }
  const findings: Finding[] = [];
  if (!isAddress && !(await listRemotes(root)).includes(wanted)) {
    const mend = `git -C ${JSON.stringify(root)} remote add ${wanted} <address>, or set git.remote.`;
    findings.push(broken(title, `deliver is ${deliver}, and there is no remote ${wanted}`, mend));
  }
  if (deliver === 'pr' && onPath('gh') === null) {
    const what = 'gh is not on the PATH: branches are pushed, and you are told where to ask for them to be taken';
    findings.push(doubtful(title, what, 'Install GitHub’s gh and log in, if the project lives there.'));
  }
  return findings;
}
