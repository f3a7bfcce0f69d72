/** Programs that register themselves, and what people allow them (RFC 7591, RFC 6749). */
export const oauthClients = {
  version: 31,
  name: "oauth-clients",
  sql: `
create table oauth_clients (
  id uuid primary key,
  -- as the program calls itself; nobody has proven it
  name text not null,
  redirect_uris text[] not null,
  -- where it was registered from
  address text not null,
  created_at timestamptz not null default now(),
  -- when somebody last allowed it something
  used_at timestamptz
);
create index oauth_clients_unused on oauth_clients (created_at) where used_at is null;
create index oauth_clients_used on oauth_clients (used_at) where used_at is not null;

create table oauth_codes (
  -- SHA-256 of the authorization code
  code_hash bytea primary key,
  client_id uuid not null references oauth_clients on delete cascade,
  user_id uuid not null,
  team_id uuid not null,
  scopes text[] not null,
  redirect_uri text not null,
  -- SHA-256 of the verifier, in base64url (RFC 7636, S256)
  challenge text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  -- the key that it became
  key_id uuid references api_keys on delete set null,
  foreign key (team_id, user_id) references team_members (team_id, user_id) on delete cascade
);
create index oauth_codes_client on oauth_codes (client_id);
create index oauth_codes_member on oauth_codes (team_id, user_id);
create index oauth_codes_key on oauth_codes (key_id);
create index oauth_codes_end on oauth_codes (expires_at);
`,
} as const;
