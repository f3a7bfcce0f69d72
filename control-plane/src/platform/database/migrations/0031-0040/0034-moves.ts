/** Apps that move from one server to another, and servers that leave the fleet. */
export const moves = {
  version: 34,
  name: "moves",
  sql: `
alter table deploys drop constraint deploys_kind_check;
alter table deploys add constraint deploys_kind_check check (kind in ('deploy', 'rollback', 'move'));
alter table deploys drop constraint deploys_check1;
-- a move starts the release that is live; one of an app without any carries its database alone
alter table deploys add constraint deploys_target_check
  check (kind = 'move' or (kind = 'rollback') = (target_release_id is not null));
-- the server that the app leaves; server_id is the one that it goes to
alter table deploys add column moves_from uuid references servers;
alter table deploys add constraint deploys_moves_from_check check ((kind = 'move') = (moves_from is not null));
-- an operator, or an evacuation, moves the app: its owners may not give that up
alter table deploys add column is_operators boolean not null default false;
create index deploys_running_moves on deploys (server_id) where status = 'running' and kind = 'move';
create index deploys_moves on deploys (app_id, seq desc) where kind = 'move';

-- what an app has left on a server that it moved away from is removed beside what it has where it lives
alter table app_removals drop constraint app_removals_pkey;
alter table app_removals add primary key (app_id, server_id);

-- when the agent of a removed server was told so, and ended
alter table servers add column left_at timestamptz;
create index servers_to_dismiss on servers (removed_at) where state = 'removed' and left_at is null;

create table evacuations (
  server_id uuid primary key references servers,
  state text not null check (state in ('running', 'stopped', 'done')),
  -- apps that have moved
  moved integer not null default 0,
  -- the move that goes on, or was the last
  deploy_id uuid references deploys on delete set null,
  -- why it has stopped
  reason text,
  began_at timestamptz not null default now(),
  ended_at timestamptz
);
create index evacuations_running on evacuations (server_id) where state = 'running';
`,
} as const;
