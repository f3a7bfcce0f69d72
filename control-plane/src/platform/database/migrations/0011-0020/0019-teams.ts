/** Whatever belonged to a user belongs to a team, with people in roles. */
export const teams = {
  version: 19,
  name: "teams",
  sql: `
create table teams (
  -- of a personal team: its person's, so that ids of owners, and addresses of repositories, stay as they were
  id uuid primary key,
  name text not null check (name <> ''),
  -- whose personal team it is
  user_id uuid unique references users on delete cascade check (user_id = id),
  -- null: its person's
  tier text check ((tier is null) = (user_id is not null)),
  created_at timestamptz not null default now()
);

create table team_members (
  team_id uuid not null references teams on delete cascade,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('viewer', 'deployer', 'developer', 'owner')),
  created_at timestamptz not null default now(),
  primary key (team_id, user_id)
);
create index team_members_user on team_members (user_id);

create table team_invitations (
  id uuid primary key,
  team_id uuid not null references teams on delete cascade,
  email text not null,
  role text not null check (role in ('viewer', 'deployer', 'developer', 'owner')),
  invited_by uuid references users on delete set null,
  -- SHA-256 of what the mail holds
  token_hash bytea not null unique,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);
create unique index team_invitations_email on team_invitations (team_id, lower(email));

create function make_personal_team() returns trigger language plpgsql as $$
begin
  insert into teams (id, name, user_id) values (new.id, 'Personal', new.id);
  insert into team_members (team_id, user_id, role) values (new.id, new.id, 'owner');
  return null;
end
$$;
create trigger users_personal_team after insert on users for each row execute function make_personal_team();

insert into teams (id, name, user_id, created_at) select id, 'Personal', id, created_at from users;
insert into team_members (team_id, user_id, role, created_at) select id, id, 'owner', created_at from users;

alter table apps drop constraint apps_owner_id_fkey, add foreign key (owner_id) references teams;
alter table repositories drop constraint repositories_owner_id_fkey,
  add foreign key (owner_id) references teams on delete cascade;

alter table api_keys add column team_id uuid references teams on delete cascade;
update api_keys set team_id = user_id;
alter table api_keys alter column team_id set not null;
create index api_keys_team on api_keys (team_id);

create trigger team_members_changed after update of role or delete on team_members
  for each statement execute function notify_credentials();
`,
} as const;
