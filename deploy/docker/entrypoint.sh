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
exec node "$app/bin/bosun" "$@"
