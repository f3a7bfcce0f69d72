/** Command-line tools ask a person for a key: the device flow (RFC 8628). */
export const deviceCodes = {
  version: 22,
  name: "device-codes",
  sql: `
create table device_codes (
  id uuid primary key,
  -- SHA-256 of the device code
  code_hash bytea not null unique,
  -- eight letters, without the hyphen
  user_code text not null unique,
  -- the machine that asks, as it calls itself
  device_name text,
  -- id or name of the team that the client asks for
  wanted_team text,
  -- null for all that the person's role allows
  scopes text[],
  -- where the request came from
  address text not null,
  status text not null default 'pending' check (status in ('pending', 'approved', 'denied')),
  -- who approved it, for which team; null again as soon as they are not in the team any more
  user_id uuid,
  team_id uuid,
  interval_seconds integer not null,
  polled_at timestamptz,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  foreign key (team_id, user_id) references team_members (team_id, user_id) on delete set null
);
create index device_codes_member on device_codes (team_id, user_id);
create index device_codes_end on device_codes (expires_at);
`,
} as const;
