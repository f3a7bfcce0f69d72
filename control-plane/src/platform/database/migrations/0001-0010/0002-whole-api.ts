/** Tables of the whole API beyond apps and deploys. */
export const wholeApi = {
  version: 2,
  name: "whole-api",
  sql: `
-- the template an app was made from, and whether a push to its hosted repository deploys it
alter table apps add column template text;
alter table apps add column deploy_on_push boolean not null default false;
-- a pushed commit that waits for its deploy, and the key that pushed it
alter table apps add column pushed_sha text;
alter table apps add column pushed_by_key uuid;
create index apps_pushed on apps (id) where pushed_sha is not null;

-- bare repositories of the platform's own git host: <data>/repositories/<id>.git, at {base_url}/git/<owner>/<name>.git
create table repositories (
  id uuid primary key,
  owner_id uuid not null references users on delete cascade,
  name text not null,
  -- it was made with this app and goes with it; its folder is swept away
  app_id uuid not null unique references apps on delete cascade,
  -- commit of the default branch when last looked at: a push is noticed once
  head_sha text not null,
  created_at timestamptz not null default now()
);
create unique index repositories_name on repositories (owner_id, name);

-- a rollback runs through the pipeline as a deploy of its own kind, which no list shows
alter table deploys add column kind text not null default 'deploy' check (kind in ('deploy', 'rollback'));
alter table deploys add column target_release_id uuid references releases on delete cascade;
alter table deploys add check ((kind = 'rollback') = (target_release_id is not null));
-- what a failure's sentence is about, for programs
alter table deploys add column error_code text;
alter table deploy_steps add column error_code text;
-- the app's status before the deploy, which a cancelation brings back
alter table deploys add column former_app_status text;

create table deploy_keys (
  app_id uuid primary key references apps on delete cascade,
  -- OpenSSH, one line
  public_key text not null,
  fingerprint text not null,
  -- sealed
  private_key bytea not null,
  created_at timestamptz not null default now()
);

create table domains (
  -- lower-case, A-labels
  domain text primary key,
  app_id uuid not null references apps on delete cascade,
  created_at timestamptz not null default now()
);
create index domains_app on domains (app_id);

create table webhooks (
  id uuid primary key,
  app_id uuid not null references apps on delete cascade,
  url text not null,
  -- sealed
  secret bytea not null,
  created_at timestamptz not null default now()
);
create index webhooks_app on webhooks (app_id);

create table webhook_deliveries (
  id uuid primary key,
  webhook_id uuid not null references webhooks on delete cascade,
  event text not null check (event in ('deploy.succeeded', 'deploy.failed', 'deploy.rolled_back')),
  -- the exact bytes that are signed and sent
  body bytea not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  -- null when nothing is to be done any more
  next_attempt_at timestamptz,
  -- while a worker has it; a crashed worker's claim ends
  claimed_until timestamptz,
  response_status integer,
  error text,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);
create index webhook_deliveries_due on webhook_deliveries (next_attempt_at) where next_attempt_at is not null;
create index webhook_deliveries_webhook on webhook_deliveries (webhook_id, created_at desc);

-- what an agent has still to remove from its host; the app's record may be gone already
create table app_removals (
  app_id uuid primary key,
  app_name text not null,
  server_id uuid not null references servers on delete cascade,
  purge boolean not null,
  -- while a process has it; a crashed process's claim ends
  claim_id uuid,
  claimed_until timestamptz,
  -- when it is tried (again)
  due_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);
create index app_removals_server on app_removals (server_id, due_at);

-- token bucket of writes, shared by all processes
create table write_buckets (
  user_id uuid primary key references users on delete cascade,
  tokens double precision not null,
  updated_at timestamptz not null
);
`,
} as const;
