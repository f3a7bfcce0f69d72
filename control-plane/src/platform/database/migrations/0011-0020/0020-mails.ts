/** Mails wait in the database until they are sent, so that no request waits for a mail server. */
export const mails = {
  version: 20,
  name: "mails",
  sql: `
create table mails (
  id uuid primary key,
  recipient text not null,
  kind text not null,
  -- subject, text and HTML, sealed: they hold one-time links; null once the mail was sent or given up
  body bytea,
  created_at timestamptz not null default now(),
  -- attempts that were begun
  attempts integer not null default 0,
  -- null once the mail was sent or given up
  next_attempt_at timestamptz,
  claimed_until timestamptz,
  sent_at timestamptz,
  given_up_at timestamptz,
  -- without anything that the mail server said in its own words, which may quote a link
  last_error text,
  check (num_nonnulls(next_attempt_at, sent_at, given_up_at) = 1),
  check ((body is null) = (next_attempt_at is null))
);
create index mails_next_attempt_at on mails (next_attempt_at) where next_attempt_at is not null;
create index mails_created_at on mails (created_at) where next_attempt_at is null;
`,
} as const;
