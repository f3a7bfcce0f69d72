/** Hosts whose agents take another version. */
export const agentUpgrades = {
  version: 35,
  name: "agent_upgrades",
  sql: `
create table agent_upgrades (
  server_id uuid primary key references servers,
  state text not null check (state in ('running', 'done', 'failed')),
  -- what the agent is to be, once a process with its link has begun
  version text,
  -- when the agent had taken it, and was about to start anew
  taken_at timestamptz,
  reason text,
  began_at timestamptz not null default now(),
  ended_at timestamptz
);
create index agent_upgrades_running on agent_upgrades (server_id) where state = 'running';
`,
} as const;
