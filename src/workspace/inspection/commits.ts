import { askGit, toText } from '../git/git.js';

export interface CommitLine {
  readonly sha: string;
  readonly at: number;
  readonly by: string;
  readonly subject: string;
  /** The trailer of a commit that Bosun made; '' for others. */
  readonly origin: string;
}

const format = '%H%x09%ct%x09%an%x09%(trailers:key=Bosun,valueonly,separator=%x20)%x09%s';

export async function recentCommits(root: string, count: number): Promise<readonly CommitLine[]> {
  const args = ['log', '--branches', `--max-count=${count}`, '-z', `--format=${format}`];
  const { exit, out } = await askGit(root, args);
  if (exit !== 0) return [];
  return toText(out)
    .split('\0')
    .flatMap((line) => {
      const [sha = '', seconds = '', by = '', origin = '', ...subject] = line.split('\t');
      return sha === '' ? [] : [{ sha, at: Number(seconds) * 1_000, by, origin, subject: subject.join('\t') }];
    });
}
