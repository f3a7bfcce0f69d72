#!/bin/sh
# Stands in for systemctl where no systemd runs: starts the one service that an installation makes, as its unit says.
# Its state is beside it.
set -eu
here=$(dirname "$(readlink -f "$0")")

value() {
  sed -n "s/^$1=-\{0,1\}//p" "$unit"
}

# Starts it again and again, as Restart=always does.
supervise() {
  value Environment >"$here/environment"
  for file in $(value EnvironmentFile); do
    [ ! -r "$file" ] || cat "$file" >>"$here/environment"
  done
  while :; do
    status=0
    # shellcheck disable=SC2046
    env $(cat "$here/environment") $(value ExecStart) >>"$here/service.log" 2>&1 || status=$?
    [ "$status" != "$(value RestartPreventExitStatus)" ] || exit 0
    sleep 0.2
  done
}

[ "$1" != --quiet ] || shift
unit=/etc/systemd/system/svc-agent.service
case $1 in
daemon-reload | enable) ;;
is-failed) exit 1 ;;
restart)
  if [ -e "$here/supervisor" ]; then
    kill -TERM "-$(cat "$here/supervisor")" 2>/dev/null || true
  fi
  setsid "$0" supervise </dev/null >/dev/null 2>&1 &
  echo $! >"$here/supervisor"
  ;;
supervise) supervise ;;
*)
  echo "systemctl $1 is not known here" >&2
  exit 1
  ;;
esac
