#!/bin/bash
# Behaves as the official image's entrypoint for POSTGRES_USER, POSTGRES_PASSWORD (or …_FILE), POSTGRES_DB,
# POSTGRES_INITDB_ARGS, POSTGRES_HOST_AUTH_METHOD and PGDATA. Scripts in /docker-entrypoint-initdb.d are not run.
set -euo pipefail

# An option alone is one of the server's.
if [ "${1:-}" = "" ] || [ "${1:0:1}" = "-" ]; then set -- postgres "$@"; fi
if [ "$1" != postgres ]; then exec "$@"; fi

if [ -n "${POSTGRES_PASSWORD_FILE:-}" ]; then POSTGRES_PASSWORD=$(<"$POSTGRES_PASSWORD_FILE"); fi
export POSTGRES_USER=${POSTGRES_USER:-postgres} POSTGRES_PASSWORD=${POSTGRES_PASSWORD:-}
export POSTGRES_DB=${POSTGRES_DB:-$POSTGRES_USER}

# The server refuses to run as root, and its data has to be its own.
if [ "$(id -u)" = 0 ]; then
  mkdir -p "$PGDATA"
  find "$PGDATA" ! -user postgres -exec chown postgres:postgres {} +
  chmod 0700 "$PGDATA"
  exec setpriv --reuid postgres --regid postgres --init-groups "$0" "$@"
fi

# The cluster is made in a folder of its own and moved into place, its PG_VERSION last: a container that is killed in
# between starts over instead of finding half a cluster.
unfinished=$PGDATA/.unfinished

create_cluster() {
  if [ -z "$POSTGRES_PASSWORD" ] && [ "${POSTGRES_HOST_AUTH_METHOD:-}" != trust ]; then
    echo "POSTGRES_PASSWORD is not set: give the superuser a password, or set POSTGRES_HOST_AUTH_METHOD=trust." >&2
    exit 1
  fi
  if [ -e "$unfinished" ]; then find "$PGDATA" -mindepth 1 -delete; fi
  if [ -n "$(ls -A "$PGDATA")" ]; then
    echo "$PGDATA is not empty and holds no cluster: empty it, or set PGDATA to another folder." >&2
    exit 1
  fi
  mkdir -m 0700 "$unfinished"
  local password=() method=${POSTGRES_HOST_AUTH_METHOD:-scram-sha-256}
  if [ -n "$POSTGRES_PASSWORD" ]; then password=(--pwfile=/dev/fd/3); fi
  # shellcheck disable=SC2086 # the arguments are words, as in the official image
  initdb -D "$unfinished" -U "$POSTGRES_USER" "${password[@]}" --auth-local=trust --auth-host="$method" \
    -E UTF8 --locale=C.UTF-8 ${POSTGRES_INITDB_ARGS:-} 3< <(printf '%s\n' "$POSTGRES_PASSWORD")
  printf 'host all all all %s\n' "$method" >>"$unfinished/pg_hba.conf"
  if [ "$POSTGRES_DB" != postgres ]; then
    printf 'CREATE DATABASE "%s";\n' "${POSTGRES_DB//\"/\"\"}" | postgres --single -D "$unfinished" postgres >/dev/null
  fi
  find "$unfinished" -mindepth 1 -maxdepth 1 ! -name PG_VERSION -exec mv -t "$PGDATA" {} +
  sync
  mv "$unfinished/PG_VERSION" "$PGDATA"
  rmdir "$unfinished"
}

if [ ! -s "$PGDATA/PG_VERSION" ]; then create_cluster; fi
if [ -d "$unfinished" ]; then rmdir "$unfinished"; fi
# The server needs neither, and every process in the container could read them.
unset POSTGRES_PASSWORD POSTGRES_PASSWORD_FILE
exec "$@"
