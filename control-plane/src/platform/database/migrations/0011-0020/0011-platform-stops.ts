/** Apps that the platform itself has stopped, and why. */
export const platformStops = {
  version: 11,
  name: "platform-stops",
  sql: `
-- {reason, detail, at}, as the agent told it last; null when it never did
alter table apps add column platform_stop jsonb;
-- false from the next start or deploy on
alter table apps add column platform_stop_holds boolean not null default false;
create index apps_platform_stop on apps (server_id) where platform_stop_holds;
`,
} as const;
