/** People sign in with passkeys (Web Authentication). */
export const passkeys = {
  version: 24,
  name: "passkeys",
  sql: `
create table passkeys (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  -- chosen by the authenticator
  credential_id bytea not null unique check (octet_length(credential_id) between 1 and 1023),
  -- COSE (RFC 9052)
  public_key bytea not null,
  -- the newest signature's; stays 0 where an authenticator doesn't count
  counter bigint not null,
  -- how a browser reaches the authenticator, as it says
  transports text[] not null,
  name text not null,
  -- whether it is kept at more than one place
  backed_up boolean not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index passkeys_user on passkeys (user_id, created_at);

create table passkey_challenges (
  -- what an authenticator signs: SHA-256 of the ticket, which the page alone has that asked for it
  challenge bytea primary key,
  -- who adds a passkey; null for a sign-in
  user_id uuid references users on delete cascade,
  expires_at timestamptz not null
);
create index passkey_challenges_user on passkey_challenges (user_id);
create index passkey_challenges_end on passkey_challenges (expires_at);
`,
} as const;
