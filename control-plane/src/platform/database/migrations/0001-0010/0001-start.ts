/** The first schema. Words and states are the glossary's; the states are enforced here as well as in domain/. */
export const start = {
  version: 1,
  name: "start",
  sql: `
create table users (
  id uuid primary key,
  email text not null,
  email_verified_at timestamptz,
  tier text not null,
  created_at timestamptz not null default now()
);
create unique index users_email on users (lower(email));

create table api_keys (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  name text not null,
  -- the first 12 characters, for people to tell keys apart
  prefix text not null,
  -- SHA-256 of the raw value, which is never stored
  hash bytea not null unique,
  -- null: unscoped
  scopes text[],
  -- null: all apps of the user
  apps text[],
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz
);
create index api_keys_user on api_keys (user_id);

create table servers (
  id uuid primary key,
  name text not null,
  state text not null check (state in ('joining', 'active', 'draining', 'removed')),
  -- null: the agent dials out
  listen_address text,
  agent_version text,
  created_at timestamptz not null default now(),
  joined_at timestamptz,
  removed_at timestamptz,
  -- the control-plane process that holds the link, and until when that is to be believed
  link_process_id uuid,
  link_until timestamptz,
  -- the newest status, as JSON of svc.agent.v1.Status
  status jsonb,
  status_at timestamptz
);
create unique index servers_name on servers (name) where state <> 'removed';

create table join_tokens (
  -- SHA-256 of the secret part
  hash bytea primary key,
  server_id uuid not null references servers on delete cascade,
  expires_at timestamptz not null,
  used_at timestamptz
);

create table apps (
  id uuid primary key,
  owner_id uuid not null references users,
  name text not null,
  status text not null check (status in ('deploying', 'running', 'failed', 'stopped', 'soft_stopped')),
  repo_url text,
  -- what the user gave; what a build found out is beside it
  framework text,
  port integer check (port between 1 and 65535),
  detected_framework text,
  detected_port integer check (detected_port between 1 and 65535),
  needs_database boolean not null default false,
  database_name text,
  server_id uuid references servers,
  current_release_id uuid,
  -- counts all deploys, for the default release name
  deploy_count integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_deployed_at timestamptz
);
create unique index apps_name on apps (name);
-- ids are ordered by time, so the list needs no other order
create index apps_owner on apps (owner_id, id);

create table env_vars (
  app_id uuid not null references apps on delete cascade,
  key text not null,
  -- AES-256-GCM, with the key's id in front; bound to app and key
  value bytea not null,
  updated_at timestamptz not null default now(),
  primary key (app_id, key)
);

create table app_databases (
  app_id uuid primary key references apps on delete cascade,
  version text not null,
  role text not null,
  password bytea not null,
  -- null until it is provisioned
  url bytea,
  created_at timestamptz not null default now()
);

create table deploys (
  id uuid primary key,
  app_id uuid not null references apps on delete cascade,
  user_id uuid not null references users,
  -- null while no server has been found for the app
  server_id uuid references servers,
  -- the order of the queue
  seq bigint generated always as identity,
  status text not null check (status in ('pending', 'running', 'success', 'failed', 'canceled')),
  ref text,
  release text not null,
  commit_sha text,
  error text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  cancel_requested_at timestamptz,
  -- fencing: raised whenever a worker takes the deploy
  attempt integer not null default 0,
  worker_id uuid,
  lease_until timestamptz,
  -- the number of the last row in deploy_events
  event_count bigint not null default 0,
  check ((status in ('success', 'failed', 'canceled')) = (finished_at is not null))
);
create unique index deploys_release on deploys (app_id, release);
create unique index deploys_one_running_per_server on deploys (server_id) where status = 'running';
create unique index deploys_one_open_per_app on deploys (app_id) where status in ('pending', 'running');
create index deploys_queue on deploys (server_id, seq) where status = 'pending';
create index deploys_app on deploys (app_id, seq desc);

-- the transitions of domain/deploy.ts; a test holds the two against one another
create function deploys_next_status() returns trigger language plpgsql as $$
begin
  if new.status = old.status or (old.status, new.status) in (
    ('pending', 'running'), ('pending', 'canceled'),
    ('running', 'success'), ('running', 'failed'), ('running', 'canceled')
  ) then
    return new;
  end if;
  raise exception 'deploy % is %, which % cannot follow', old.id, old.status, new.status using errcode = 'check_violation';
end $$;
create trigger deploys_next_status before update of status on deploys
  for each row execute function deploys_next_status();

create table deploy_steps (
  deploy_id uuid not null references deploys on delete cascade,
  step_order integer not null check (step_order between 1 and 4),
  step_name text not null check (step_name in ('provision_db', 'clone_build', 'deploy_container', 'proxy_route')),
  status text not null check (status in ('pending', 'running', 'success', 'failed', 'canceled', 'skipped')),
  -- the tail, written when the step ends; until then it is read from deploy_events
  output text,
  error text,
  started_at timestamptz,
  finished_at timestamptz,
  -- 1, or 2 after an interruption
  run integer not null default 1,
  -- of the agent's events in this run, the last that is stored
  last_event_number bigint not null default 0,
  -- registered before the effect; done when it has been taken back
  undo_registered_at timestamptz,
  undone_at timestamptz,
  -- what the step returned, without secrets, for the steps after it
  result jsonb,
  primary key (deploy_id, step_order)
);
-- what a crashed worker left to take back
create index deploy_steps_undo on deploy_steps (deploy_id) where undo_registered_at is not null and undone_at is null;

-- append-only: what the live streams send, in their order
create table deploy_events (
  deploy_id uuid not null references deploys on delete cascade,
  number bigint not null,
  step_order integer,
  -- log: {"lines": [...], "dropped": n}; step: {"status": ...}; deploy: {"status": ...}
  kind text not null check (kind in ('log', 'progress', 'step', 'deploy')),
  payload jsonb not null,
  created_at timestamptz not null default now(),
  primary key (deploy_id, number)
);

create table releases (
  id uuid primary key,
  app_id uuid not null references apps on delete cascade,
  deploy_id uuid not null unique references deploys on delete cascade,
  name text not null,
  image_digest text not null,
  commit_sha text not null,
  framework text not null,
  port integer not null,
  -- the environment as it was, encrypted as one value
  env bytea not null,
  created_at timestamptz not null default now()
);
create unique index releases_name on releases (app_id, name);
alter table apps add foreign key (current_release_id) references releases on delete set null;

create table idempotency_keys (
  user_id uuid not null references users on delete cascade,
  method text not null,
  path text not null,
  key text not null,
  -- SHA-256 of the canonical body
  body_hash bytea not null,
  -- null while the original runs
  response_status integer,
  -- text, not jsonb: a replay is the same bytes
  response_body text,
  -- tells the original from a later claimant of a released key
  claim_id uuid not null,
  claimed_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  primary key (user_id, method, path, key)
);
create index idempotency_keys_age on idempotency_keys (claimed_at);

create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  -- user:<id>, key:<id>, operator, system
  actor text not null,
  action text not null,
  target text not null,
  request_id text,
  detail jsonb not null default '{}'
);

-- the canary that tells a wrong master key at the start, and other facts of the installation
create table installation (
  name text primary key,
  value bytea not null
);
`,
} as const;
