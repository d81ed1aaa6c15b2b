// A home keeps one workspace, because ids mean nothing in another.
export interface Team {
  readonly id: string;
  readonly name: string;
}

/** `kept`: the home's workspace. Null: it fits. */
export function otherTeam(kept: string | null, { id, name }: Team): string | null {
  if (kept === null) return null;
  const [ownId = '', ...ownName] = kept.split(' ');
  if (ownId === id) return null;
  return `the bot token is for the workspace ${name} (${id}), and this home belongs to ${ownName.join(' ')} (${ownId}): set the token of that one, or remove the file slack-team in the home if the change is meant`;
}
