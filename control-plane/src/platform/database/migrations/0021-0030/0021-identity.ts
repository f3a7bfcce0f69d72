/** People sign in: sessions, passwords, one-time links, second factors. Columns that better-auth reads have its types. */
export const identity = {
  version: 21,
  name: "identity",
  sql: `
alter table users
  add column name text not null default '',
  add column image text,
  -- says the same as email_verified_at, for better-auth, which knows the boolean alone
  add column email_verified boolean not null default false,
  add column two_factor_enabled boolean not null default false,
  add column updated_at timestamptz not null default now(),
  -- the account is gone; the row stays for what refers to it, and holds nothing of the person
  add column deleted_at timestamptz;
update users set email_verified = email_verified_at is not null;

create function users_verified() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.email_verified then new.email_verified_at := coalesce(new.email_verified_at, now()); end if;
  elsif new.email_verified_at is not distinct from old.email_verified_at and new.email_verified <> old.email_verified then
    new.email_verified_at := case when new.email_verified then now() end;
  end if;
  new.email_verified := new.email_verified_at is not null;
  return new;
end $$;
create trigger users_verified before insert or update on users for each row execute function users_verified();

drop trigger users_changed on users;
create trigger users_changed after update of tier, email_verified_at, email_verified or delete on users
  for each statement execute function notify_credentials();

create table sessions (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  -- worth nothing without a signature by the installation's session secret
  token text not null unique,
  expires_at timestamptz not null,
  ip_address text,
  user_agent text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index sessions_user on sessions (user_id, created_at desc);
create index sessions_end on sessions (expires_at);
-- long answers end with the session that asked for them
create trigger sessions_ended after delete on sessions for each statement execute function notify_credentials();

-- ways in which a person can prove who they are
create table accounts (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  -- 'credential' for a password; the account is the user then
  provider_id text not null,
  account_id text not null,
  -- scrypt, with its salt
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (provider_id, account_id)
);
create index accounts_user on accounts (user_id);

create table verifications (
  id text primary key,
  -- ours: <purpose>:<SHA-256 of the token in hex>
  identifier text not null,
  -- ours: the user's id
  value text not null,
  -- the address that is to take the place of the user's
  address text,
  expires_at timestamptz not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index verifications_identifier on verifications (identifier);
create index verifications_value on verifications (value);
create index verifications_end on verifications (expires_at);

create table two_factors (
  user_id uuid primary key references users on delete cascade,
  -- the TOTP key, AES-256-GCM, with the key's id in front; bound to the user
  secret bytea not null,
  -- null until its owner has entered a first code
  confirmed_at timestamptz,
  -- the newest time step whose code was accepted: no code is accepted twice
  last_step bigint not null default 0,
  -- SHA-256 of each recovery code that is left
  recovery_codes bytea[] not null,
  created_at timestamptz not null default now()
);

-- token buckets of attempts, by SHA-256 of what is limited (an account, an address)
create table auth_rate_limits (
  key bytea primary key,
  tokens double precision not null,
  updated_at timestamptz not null
);
create index auth_rate_limits_age on auth_rate_limits (updated_at);

create table invitations_to_join (
  id uuid primary key,
  email text not null,
  -- SHA-256 of what the link holds
  token_hash bytea not null unique,
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null default now()
);
create index invitations_to_join_email on invitations_to_join (lower(email));
`,
} as const;
