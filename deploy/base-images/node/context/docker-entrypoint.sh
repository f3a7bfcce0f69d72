#!/bin/sh
# As in the official image: arguments that are no command are Node.js's own.
set -e
if [ "${1#-}" != "$1" ] || ! command -v "$1" >/dev/null || { [ -f "$1" ] && ! [ -x "$1" ]; }; then
  set -- node "$@"
fi
exec "$@"
