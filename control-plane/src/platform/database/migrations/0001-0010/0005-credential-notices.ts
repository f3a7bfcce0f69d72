/** Every process hears at once of a key or a user that changed, whoever changed it. */
export const credentialNotices = {
  version: 5,
  name: "credential-notices",
  sql: `
create function notify_credentials() returns trigger language plpgsql as $$
begin
  perform pg_notify('credentials', '');
  return null;
end
$$;

-- not after last_used_at, which changes all the time and decides nothing
create trigger api_keys_changed after update of hash, user_id, scopes, apps, expires_at, revoked_at or delete on api_keys
  for each statement execute function notify_credentials();
create trigger users_changed after update of tier, email_verified_at or delete on users
  for each statement execute function notify_credentials();
`,
} as const;
