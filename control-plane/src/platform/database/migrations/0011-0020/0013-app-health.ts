/** How apps are, as their agents observe them, and webhooks that ask to be told. */
export const appHealth = {
  version: 13,
  name: "app-health",
  sql: `
-- {state, reason, since} as the API shows it, as the agent observed it last; null before that
alter table apps add column health json;

-- when a server's agent told its status last; apart from servers, whose rows are wide, since it is written all the time
create table server_hearings (
  server_id uuid primary key references servers on delete cascade,
  heard_at timestamptz not null
);

-- what a webhook asks to be told
alter table webhooks add column events text[] not null
  default '{deploy.succeeded,deploy.failed,deploy.rolled_back}';
alter table webhook_deliveries drop constraint webhook_deliveries_event_check;
alter table webhook_deliveries add constraint webhook_deliveries_event_check check (event in
  ('deploy.succeeded', 'deploy.failed', 'deploy.rolled_back', 'app.unhealthy', 'app.recovered'));
`,
} as const;
