# usage: sh orphan-guard.sh, with lines "+ PGID NAME=value" or "+ PGID", and "- PGID", on standard input
# Ends the processes that a dead Bosun leaves running. Only that Bosun holds the pipe on standard input open, so its end
# means that Bosun has died. Every listed process group then gets SIGTERM and, about a second later, SIGKILL, as does
# every process with the group's NAME=value in its environment (a child in its own session).
# sh reads a script while running it: all code is in functions, so that replacing this file does not affect a running one.

# Sets $start to the start time of process $1; "-" if there is no such process, or no /proc.
find_start() {
  start=- stat=''
  { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
  # The program's name is in brackets and may itself contain brackets and spaces.
  IFS=' '
  set -- ${stat##*) }
  IFS=$newline
  start=${20}
}

forget() {
  kept=''
  for group in $groups; do
    [ "${group%% *}" = "$1" ] || kept="$kept$group$newline"
  done
  groups=$kept
}

# Pipes the marks to grep, because every user of the machine can read arguments.
find_marked() {
  marks=''
  for group in $groups; do
    case ${group##* } in *=*) marks="$marks${group##* }$newline" ;; esac
  done
  [ -n "$marks" ] || return 0
  if [ -d /proc/self ]; then
    (set +f && cd /proc && printf %s "$marks" | grep -lzxF -f - [0-9]*/environ 2>/dev/null) | sed 's|/.*||'
  else
    ps axeww -o pid=,command= | while IFS=' ' read -r pid command; do
      for mark in $marks; do
        case " $command " in *" $mark "*) echo "$pid" ;; esac
      done
    done
  fi
}

# Sends signal $1 to all remaining processes; fails if there are none.
send() {
  is_left=1
  for group in $groups; do
    pid=${group%% *} since=${group#* }
    find_start "$pid"
    # A pid is reused only after its whole group is gone, so a leader with another start time is not ours.
    if [ "$start" = - ] || [ "$start" = "${since%% *}" ]; then
      kill -s "$1" -- "-$pid" 2>/dev/null && is_left=0
    fi
  done
  for pid in $(find_marked); do
    kill -s "$1" "$pid" 2>/dev/null && is_left=0
  done
  return $is_left
}

# Sends signal $1 up to $3 times, $2 seconds apart, until no process is left.
repeat() {
  rounds=0
  while [ "$rounds" -lt "$3" ] && send "$1"; do
    sleep "$2" 2>/dev/null || sleep 1
    rounds=$((rounds + 1))
  done
}

main() {
  trap '' HUP INT TERM
  set -f
  newline='
'
  IFS=$newline
  groups=''
  while read -r line; do
    rest=${line#? }
    pid=${rest%% *}
    forget "$pid"
    case $line in
    +*)
      find_start "$pid"
      groups="$groups$pid $start${rest#"$pid"}$newline"
      ;;
    esac
  done
  send TERM || return 0
  repeat 0 0.1 9
  # Repeat until none is left: a process may fork between the scan and the kill.
  repeat KILL 0.05 20
}

main; exit 0
