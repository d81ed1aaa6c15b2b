// What `bosun rules accept` does, for tests of what accepted rules do.
import { acceptRules, projectRules } from '../src/config/project-rules/index.js';

export function acceptProjectRules(home: string, root: string, workflow = ''): void {
  acceptRules(home, root, projectRules(home, { root, workflow }).files, { by: 'owner', at: 1 });
}
