/** Pools, labels and addresses of servers, and what apps ask for of a server. */
export const pools = {
  version: 32,
  name: "pools",
  sql: `
alter table servers
  -- apps that ask for it live here; those that ask for none live in the pool \`default\`
  add column pool text not null default 'default',
  add column labels text[] not null default '{}',
  -- host[:port] at which balancers find its apps, as an operator has set it
  add column address text,
  -- where its agent was at its last link
  add column linked_from text,
  -- of its status, which is wide, those parts by which apps are placed
  add column told_cpu jsonb generated always as (status -> 'cpu') stored,
  add column told_memory jsonb generated always as (status -> 'memory') stored,
  add column told_disks jsonb generated always as (status -> 'disks') stored;
alter table apps
  -- of a server that it may live on; null for the pool \`default\`
  add column pool text,
  -- of a server that it may live on; null for any
  add column label text;
alter table teams
  -- beside \`default\`: the team's apps may live there, and may name the servers there
  add column pools text[] not null default '{}';
create index apps_server on apps (server_id);
-- apps that a server was chosen for, and that hold nothing there yet
create index apps_coming on apps (server_id) where status = 'deploying' and current_release_id is null;
`,
} as const;
