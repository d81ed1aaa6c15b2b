// A home belongs to one workspace for good: ids of people and channels mean nothing in another one.
export interface Team {
  readonly id: string;
  readonly name: string;
}

/** `kept`: the id of the home's workspace, and its name; null: it belongs to none yet. Gives what is wrong, if anything. */
export function otherTeam(kept: string | null, { id, name }: Team): string | null {
  if (kept === null) return null;
  const [ownId = '', ...ownName] = kept.split(' ');
  if (ownId === id) return null;
  return `the bot token is for the workspace ${name} (${id}), and this home belongs to ${ownName.join(' ')} (${ownId}): set the token of that one, or remove the file slack-team in the home if the change is meant`;
}
