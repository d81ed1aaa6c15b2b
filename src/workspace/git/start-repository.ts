import { git } from './git.js';
import { findIdentity } from './identity.js';

export async function startRepository(folder: string, message: string): Promise<void> {
  await git(folder, ['init', '--quiet']);
  await git(folder, ['symbolic-ref', 'HEAD', 'refs/heads/main']);
  const config = await findIdentity(folder);
  await git(folder, ['commit', '--quiet', '--allow-empty', '-m', message], { config });
}
