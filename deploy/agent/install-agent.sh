#!/bin/sh
# Makes this host a server of a fleet (decision 042):
#
#   SVC_JOIN_TOKEN=… sh install-agent.sh https://CONTROL_PLANE:PORT
#
# The whole command is what `npm run admin -- server token` prints on the control plane. Takes Debian or Ubuntu, curl and root.
# Until the agent has joined, it can be run again and goes on where it was ended; after that it needs another token, as of
# `server token --for NAME`. An agent that runs is left alone until the new one is ready to start.
set -eu

ROOT=/opt/svc-agent
SETTINGS=/etc/svc/agent.env
# In memory alone, and for the service alone: the token works once.
JOIN_SETTINGS=/run/svc/agent-join.env
UNIT=/etc/systemd/system/svc-agent.service
# The name that every control plane's certificate carries.
NAME=control-plane.svc.internal
READY_SECONDS_MAX=180

fail() {
  printf 'The agent was not installed: %s\n' "$1" >&2
  exit 1
}

say() {
  printf '%s\n' "$1" >&2
}

usage() {
  fail "$1 Copy the whole command that \`npm run admin -- server token\` prints on the control plane."
}

[ "$#" -eq 1 ] || usage "one argument is needed, the control plane's address."
HOST_PORT=${1#https://}
HOST_PORT=${HOST_PORT%/}
case $1 in https://*:[0-9]*) ;; *) usage "$1 is not an address such as https://svc.example.com:8443." ;; esac
PORT=${HOST_PORT##*:}
case $HOST_PORT in *[!A-Za-z0-9.:_[\]-]*) usage "$1 is not an address such as https://svc.example.com:8443." ;; esac

FINGERPRINT=${SVC_JOIN_TOKEN:-}
[ -n "$FINGERPRINT" ] || usage "SVC_JOIN_TOKEN is not set."
FINGERPRINT=${FINGERPRINT##*.}
case $FINGERPRINT in *[!0-9a-f]*) usage "SVC_JOIN_TOKEN is not a join token." ;; esac
[ "${#FINGERPRINT}" -eq 64 ] || usage "SVC_JOIN_TOKEN is not a join token."

if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || fail "root is needed, and there is no sudo here. Run the command as root."
  say "Root is needed: going on through sudo."
  exec sudo --preserve-env=SVC_JOIN_TOKEN sh "$0" "$@"
fi

[ -r /etc/debian_version ] || fail "this host is neither Debian nor Ubuntu."
missing=
for tool in curl openssl; do
  command -v "$tool" >/dev/null || missing="$missing $tool"
done
# git needs it for what it clones over https.
[ -e /etc/ssl/certs/ca-certificates.crt ] || missing="$missing ca-certificates"
if [ -n "$missing" ]; then
  # shellcheck disable=SC2086
  apt-get install --yes --no-install-recommends $missing >&2 ||
    fail "the packages$missing could not be installed. Run \`apt-get update\`, then the command again."
fi

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
trap 'exit 1' HUP INT TERM

# The fleet's authority is recognised by the fingerprint in the token, before anything that the other end says is believed.
say "Looking for the control plane at $HOST_PORT …"
timeout 20 openssl s_client -connect "$HOST_PORT" -servername "$NAME" -alpn http/1.1 -showcerts </dev/null >"$WORK/chain" 2>"$WORK/tls" ||
  [ -s "$WORK/chain" ] || fail "nothing answers at $HOST_PORT: $(tail -n 1 "$WORK/tls")"
awk -v dir="$WORK" '/-BEGIN CERTIFICATE-/ { n++; on = 1 } on { print > (dir "/" n ".pem") } /-END CERTIFICATE-/ { on = 0 }' "$WORK/chain"
AUTHORITY=
for each in "$WORK"/*.pem; do
  [ -e "$each" ] || break
  [ "$(openssl x509 -in "$each" -outform der | sha256sum | cut -d ' ' -f 1)" = "$FINGERPRINT" ] && AUTHORITY=$each
done
[ -n "$AUTHORITY" ] || fail "what answers at $HOST_PORT is not the control plane that made the token. Check the address, or make a new token."

# fetch PATH FILE: the token goes by standard input, where no list of processes shows it.
fetch() {
  printf 'header = "Authorization: Bearer %s"\n' "$SVC_JOIN_TOKEN" |
    curl --config - --http1.1 --silent --show-error --proto =https --noproxy '*' --max-time 1800 --cacert "$AUTHORITY" \
      --connect-to "$NAME:$PORT:$HOST_PORT" --output "$2" --write-out '%{http_code}' "https://$NAME:$PORT$1" >"$WORK/status" 2>"$WORK/curl" ||
    fail "$(cat "$WORK/curl")"
  [ "$(cat "$WORK/status")" = 200 ] || fail "$(head -c 500 "$2")"
}

fetch "/agent.json?arch=$(uname -m)" "$WORK/facts"
fact() {
  sed -n "s/^ *\"$1\": \"\([A-Za-z0-9.+_-]*\)\",\{0,1\}\$/\1/p" "$WORK/facts"
}
VERSION=$(fact version)
SHA256=$(fact sha256)
[ -n "$VERSION" ] && [ -n "$SHA256" ] || fail "the control plane's answer could not be read."

# setting NAME DEFAULT: what the operator has set for the agent counts here as well, with quotes as systemd takes them or without.
setting() {
  found=$(sed -n "s/^$1=//p" "$SETTINGS" 2>/dev/null | tail -n 1 | sed -e 's/^"\(.*\)"$/\1/' -e "s/^'\(.*\)'\$/\1/")
  printf '%s' "${found:-$2}"
}

IDENTITY=$(setting SVC_DATA_DIR /var/lib/svc-agent)/identity
if [ -e "$IDENTITY/authority.pem" ] &&
  [ "$(openssl x509 -in "$IDENTITY/authority.pem" -outform der | sha256sum | cut -d ' ' -f 1)" != "$FINGERPRINT" ]; then
  fail "this host belongs to another fleet. Remove it there first, and move $(dirname "$IDENTITY") away."
fi

if [ -e "$(dirname "$IDENTITY")/removed-from-fleet" ]; then
  fail "this host was removed from the fleet. Move $(dirname "$IDENTITY") away, then run the command again; volumes of databases stay in the engine."
fi

if [ ! -d "$ROOT/versions/$VERSION" ]; then
  say "Fetching the agent $VERSION …"
  mkdir -p "$ROOT/versions"
  # Where it is unpacked there is room; /tmp may lie in memory.
  fetch "/agent.tar?arch=$(uname -m)" "$ROOT/versions/.agent.tar"
  printf '%s  %s\n' "$SHA256" "$ROOT/versions/.agent.tar" | sha256sum --check --status || fail "what was fetched is not what the control plane announced. Run the command again."
  rm -rf "$ROOT/versions/.part"
  mkdir "$ROOT/versions/.part"
  tar -xf "$ROOT/versions/.agent.tar" -C "$ROOT/versions/.part" --no-same-owner
  rm -f "$ROOT/versions/.agent.tar"
  sync -f "$ROOT/versions/.part"
  mv "$ROOT/versions/.part" "$ROOT/versions/$VERSION"
fi
AGENT=$ROOT/versions/$VERSION

for name in DOCKER_HOST SVC_BASE_IMAGES; do
  value=$(setting "$name" "")
  [ -z "$value" ] || export "$name=$value"
done
"$AGENT/bin/node" "$AGENT/deploy/setup/prepare.mjs" --for agent || fail "see above. Run the command again once the cause is gone."

cp "$AGENT/deploy/agent/run-agent.sh" "$ROOT/.run-agent"
chmod 755 "$ROOT/.run-agent"
mv "$ROOT/.run-agent" "$ROOT/run-agent"
rm -f "$ROOT/trial"
ln -sfn "versions/$VERSION" "$ROOT/.current"
mv -T "$ROOT/.current" "$ROOT/current"

mkdir -p /etc/svc
umask 077
{ grep -v '^SVC_CONTROL_PLANE=' "$SETTINGS" 2>/dev/null || true; printf 'SVC_CONTROL_PLANE=https://%s\n' "$HOST_PORT"; } >"$SETTINGS.new"
mv "$SETTINGS.new" "$SETTINGS"

if [ ! -d /run/systemd/system ]; then
  say "The agent $VERSION is installed. This host has no systemd: have what starts its services run, as root,"
  say "  $ROOT/run-agent"
  say "with the variables of $SETTINGS, SVC_DATA_DIR=/var/lib/svc-agent and, the first time, SVC_JOIN_TOKEN; and again"
  say "whenever it ends with another status than 78."
  exit 0
fi

mkdir -p /run/svc
printf 'SVC_JOIN_TOKEN=%s\n' "$SVC_JOIN_TOKEN" >"$JOIN_SETTINGS"
sed -e "s#^ExecStart=.*#ExecStart=$ROOT/run-agent#" -e "s#^EnvironmentFile=.*#&\nEnvironmentFile=-$JOIN_SETTINGS#" \
  "$AGENT/deploy/systemd/svc-agent.service" >"$UNIT"
chmod 644 "$UNIT"
# The token is used up soon: what it has brought has to outlive a power cut.
sync
systemctl daemon-reload
systemctl enable --quiet svc-agent
systemctl restart svc-agent

say "Waiting until the agent is ready, and linked to the control plane …"
READY=http://$(setting SVC_AGENT_HTTP 127.0.0.1:9180)/readyz
waited=0
until curl --silent --fail --noproxy '*' --max-time 5 "$READY" | grep -q '"linked":true'; do
  [ "$waited" -lt "$READY_SECONDS_MAX" ] || fail "the agent is not ready and linked after $READY_SECONDS_MAX s. Its log: journalctl -u svc-agent"
  systemctl --quiet is-failed svc-agent && fail "the agent does not start. Its log: journalctl -u svc-agent"
  waited=$((waited + 1))
  sleep 1
done
rm -f "$JOIN_SETTINGS"
say "This host is a server of the fleet now, and takes apps."
