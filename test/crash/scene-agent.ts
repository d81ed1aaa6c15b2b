// The agent of the scenes in which much is done: a shell script, because dozens of them are started.

/** `moves` are branches of a `case` over "ITEM STEP"; they find the prompt in `$prompt`. */
export function shellAgent(moves: string): string {
  return `#!/bin/sh
note() {
  printf '{"what":"%s","token":"%s","step":"%s","item":"%s"}\\n' "$1" "$BOSUN_TOKEN" "$BOSUN_STEP" "$BOSUN_ITEM" >> "$CRASH_LOG"
}
landed() {
  until git -C "$BOSUN_ROOT" log --format=%s | grep -q "$1"; do sleep 0.05; done
}
put() {
  mkdir -p "$(dirname "$1")" && printf '%s\\n' "$2" > "$1"
}
commit() {
  git add -A
  git diff --cached --quiet || git commit -q -m "$1"
}
note agent_started
prompt=$(cat)
cd "$BOSUN_WORKDIR" || exit 1
status=done
case "$BOSUN_ITEM $BOSUN_STEP" in
${moves}
esac
note agent_ended
printf 'STATUS: %s\\nSUMMARY:\\nnotes of %s\\n' "$status" "$BOSUN_STEP"
`;
}
