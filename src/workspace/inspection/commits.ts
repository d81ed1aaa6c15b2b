import { askGit, toText } from '../git/git.js';

export interface CommitLine {
  readonly sha: string;
  readonly at: number;
  readonly by: string;
  readonly subject: string;
}

export async function recentCommits(root: string, count: number): Promise<readonly CommitLine[]> {
  const args = ['log', '--branches', `--max-count=${count}`, '-z', '--format=%H%x09%ct%x09%an%x09%s'];
  const { exit, out } = await askGit(root, args);
  if (exit !== 0) return [];
  return toText(out)
    .split('\0')
    .flatMap((line) => {
      const [sha = '', seconds = '', by = '', ...subject] = line.split('\t');
      return sha === '' ? [] : [{ sha, at: Number(seconds) * 1_000, by, subject: subject.join('\t') }];
    });
}
