# usage: sh orphan-guard.sh, with lines "+ PGID NAME=value" or "+ PGID", and "- PGID", on standard input
# Ends what a Bosun leaves running. Standard input is a pipe that only this Bosun holds open, so its end means that Bosun
# is gone, however it died. Then every process group that was not taken off the list gets SIGTERM and, about a second
# later, SIGKILL; so does every process with its NAME=value in the environment (a child in a session of its own).
# sh reads a script while it runs it: all of it is in functions, so that a new version of this file changes nothing here.

# Sets $start to the time at which process $1 began; "-" when there is none, or no /proc.
find_start() {
  start=- stat=''
  { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 0
  # The program's name stands in brackets and may hold brackets and spaces itself.
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

# The marks reach grep through a pipe: arguments can be read by every user of the machine.
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

# Sends signal $1 to all that is left; fails when nothing is.
send() {
  is_left=1
  for group in $groups; do
    pid=${group%% *} since=${group#* }
    find_start "$pid"
    # A pid is used again only after its whole group is gone: a leader that began at another time is a stranger.
    if [ "$start" = - ] || [ "$start" = "${since%% *}" ]; then
      kill -s "$1" -- "-$pid" 2>/dev/null && is_left=0
    fi
  done
  for pid in $(find_marked); do
    kill -s "$1" "$pid" 2>/dev/null && is_left=0
  done
  return $is_left
}

# Looks up to $3 times, $2 seconds apart, whether something is left that takes signal $1.
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
  # Again until none is left: one may have forked between the look and the kill.
  repeat KILL 0.05 20
}

main; exit 0
