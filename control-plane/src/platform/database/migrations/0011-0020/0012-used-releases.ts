/** Names of releases whose deploys were removed (decision 015). */
export const usedReleases = {
  version: 12,
  name: "used-releases",
  sql: `
create table used_releases (
  app_id uuid not null references apps on delete cascade,
  -- md5 of the name: the same size whatever its length
  digest uuid not null,
  -- the order in which they go
  deploy_seq bigint not null,
  primary key (app_id, digest)
);
create index used_releases_age on used_releases (app_id, deploy_seq);
`,
} as const;
