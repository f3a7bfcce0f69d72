/** How many copies of an app run at the same time, on a server that is a cluster. */
export const replicas = {
  version: 34,
  name: "replicas",
  sql: `
alter table apps
  -- as it was set; null for what the release says, or one
  add column replicas smallint check (replicas between 1 and 20);
alter table releases
  -- as the commit's spec file says; null when it does not
  add column replicas smallint check (replicas between 1 and 20);
`,
} as const;
