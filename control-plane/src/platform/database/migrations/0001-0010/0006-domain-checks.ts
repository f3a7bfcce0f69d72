/** Columns for the results of the background check of custom domains. */
export const domainChecks = {
  version: 6,
  name: "domain-checks",
  sql: `
-- at the last look, all addresses of the domain were the app's server: a certificate may be ordered
alter table domains add column leads_here boolean not null default false;
-- at the last look, a certificate was served that is valid for the domain
alter table domains add column active boolean not null default false;
-- at the last look, the TXT record that proves the ownership was there
alter table domains add column owner_proven boolean not null default true;
alter table domains add column owner_checked_at timestamptz not null default now();
-- when it is looked at (again); moved on by whoever looks, so that a crashed process's turn comes back
alter table domains add column next_check_at timestamptz not null default now();
create index domains_due on domains (next_check_at);
`,
} as const;
