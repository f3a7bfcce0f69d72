/** Repositories on the platform's git host that are made before their app, for a folder that is pushed. */
export const ownRepositories = {
  version: 4,
  name: "own-repositories",
  sql: `
-- null: made for whichever app of the owner will deploy from it
alter table repositories alter column app_id drop not null;
-- one that no app deploys from is kept for a day after this
alter table repositories add column asked_for_at timestamptz not null default now();
`,
};
