#!/bin/sh
# Starts the agent's current version (decision 042). After an upgrade the file `trial` is there until the new version has proven itself; when
# it has been started twice without that, the version before comes back.
set -eu
# What a version has on trial: a little longer than it gives itself (agent/src/link/trial.ts), for one that hangs.
SECONDS_MAX=90
root=$(dirname "$(readlink -f "$0")")
trial=$root/trial

start() {
  exec "$1/bin/node" "$1/dist/agent.mjs"
}

# Where the disk has no room even for a link, the version before is started all the same.
go_back() {
  echo "$1 The version before is started." >&2
  if ln -sfn "$(readlink "$root/former")" "$root/.current" && mv -T "$root/.current" "$root/current"; then
    rm -f "$trial"
  fi
  start "$root/former"
}

# Ends this process, which is the agent by then, unless it has proven itself. Of nobody's children, so that the agent has no strange one.
limit() {
  pid=$1 program=$2
  (
    (
      sleep "$SECONDS_MAX"
      [ -e "$trial" ] || exit 0
      [ "$(readlink "/proc/$pid/exe")" != "$program" ] || kill -KILL "$pid"
    ) </dev/null >/dev/null 2>&1 &
  )
}

if [ -e "$trial" ]; then
  [ "$(wc -l <"$trial")" -lt 2 ] || go_back "The agent's new version has not proven itself."
  echo started >>"$trial" || go_back "The disk has no room to count the starts of the agent's new version."
  limit "$$" "$(readlink -f "$root/current/bin/node")"
fi
start "$root/current"
