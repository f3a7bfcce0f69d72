#!/bin/sh
# Starts the agent's current version (decision 042). After an upgrade the file `trial` is there until the new version has proven itself; when
# it has been started twice without that, the version before comes back.
set -eu
root=$(dirname "$(readlink -f "$0")")
trial=$root/trial
version=current
if [ -e "$trial" ]; then
  if [ "$(wc -l <"$trial")" -ge 2 ]; then
    echo "The agent's new version has not proven itself: the one before is started." >&2
    ln -sfn "$(readlink "$root/former")" "$root/.current"
    mv -T "$root/.current" "$root/current"
    rm -f "$trial"
  elif ! echo started >>"$trial"; then
    # Where starts can't be counted, a new version might be started for ever.
    echo "The disk is full: the agent's version before the upgrade is started." >&2
    version=former
  fi
fi
exec "$root/$version/bin/node" "$root/$version/dist/agent.mjs"
