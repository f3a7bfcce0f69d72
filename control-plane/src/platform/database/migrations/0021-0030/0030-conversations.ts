/** People talk with an assistant (decision 036). */
export const conversations = {
  version: 30,
  name: "conversations",
  sql: `
create table conversations (
  id uuid primary key,
  team_id uuid not null,
  user_id uuid not null,
  -- the beginning of the first message; empty before it
  title text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- whoever leaves a team leaves what was said of its apps
  foreign key (team_id, user_id) references team_members on delete cascade
);
create index conversations_user on conversations (user_id, updated_at);
create index conversations_team on conversations (team_id, user_id);

create table conversation_messages (
  id uuid primary key,
  conversation_id uuid not null references conversations on delete cascade,
  -- the order within a conversation
  seq bigint generated always as identity,
  role text not null check (role in ('person', 'assistant')),
  -- texts, calls of tools, problems; a card by its id
  parts jsonb not null,
  -- the values that the person's text has placeholders for, sealed; null when it has none
  hidden_values bytea,
  created_at timestamptz not null default now(),
  -- until when an answer may be written by the process that began it; null once it has ended
  open_until timestamptz,
  check (role = 'assistant' or open_until is null)
);
create index conversation_messages_order on conversation_messages (conversation_id, seq);

create table cards (
  id uuid primary key,
  conversation_id uuid not null references conversations on delete cascade,
  -- what was proposed, with what is shown of it, sealed
  content bytea not null,
  state text not null default 'proposed' check (state in ('proposed', 'running', 'done', 'failed', 'left')),
  expires_at timestamptz not null,
  decided_at timestamptz,
  -- what came of each action, for the person and the model
  results jsonb not null default '[]',
  check ((state = 'proposed') = (decided_at is null))
);
create index cards_conversation on cards (conversation_id);

create table chat_use (
  user_id uuid primary key references users on delete cascade,
  -- the day, in UTC, that the counts are of
  day date not null,
  messages integer not null,
  tokens integer not null
);
`,
} as const;
