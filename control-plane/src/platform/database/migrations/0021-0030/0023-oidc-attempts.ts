/** People sign in at a provider (OpenID Connect). Who is connected to one has a row of `accounts`. */
export const oidcAttempts = {
  version: 23,
  name: "oidc-attempts",
  sql: `
-- sign-ins that have been begun, until the provider leads the browser back
create table oidc_attempts (
  -- SHA-256 of what the browser's cookie holds
  token_hash bytea primary key,
  -- an id of SVC_OIDC_FILE
  provider text not null,
  -- the path to go on to
  redirect_to text not null,
  -- who connects the provider to their account; null for a sign-in
  user_id uuid references users on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index oidc_attempts_user on oidc_attempts (user_id);
create index oidc_attempts_end on oidc_attempts (expires_at);
`,
} as const;
