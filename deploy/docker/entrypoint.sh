#!/bin/sh
# A volume that is new has no config.yaml yet: it gets one that takes from the environment what a container is told.
set -eu

app=$(cd "$(dirname "$0")/../.." && pwd)
umask 077
mkdir -p "$BOSUN_HOME"
if [ ! -e "$BOSUN_HOME/config.yaml" ]; then
  # Moved into place whole, for a container that is ended right here.
  cp "$app/deploy/docker/config.yaml" "$BOSUN_HOME/config.yaml.new"
  mv "$BOSUN_HOME/config.yaml.new" "$BOSUN_HOME/config.yaml"
fi
# Git fails altogether over a file of settings that it may not read. So it is told of this one where it can be read alone.
settings=${BOSUN_KEYS:-/run/keys}/gitconfig
if [ -r "$settings" ]; then ln -sfn "$settings" "$HOME/.gitconfig-keys"; else rm -f "$HOME/.gitconfig-keys"; fi
exec node "$app/bin/bosun" "$@"
