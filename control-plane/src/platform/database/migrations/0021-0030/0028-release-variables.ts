/** A release knows which of its variables were sealed, and when each was written: comparisons don't look at their values. */
export const releaseVariables = {
  version: 28,
  name: "release_variables",
  sql: `
alter table releases
  -- the variables that were sealed when its deploy began
  add column sealed text[] not null default '{}',
  -- by the name of each stored variable, when it was written; empty for releases of before
  add column written_at jsonb not null default '{}';
`,
} as const;
