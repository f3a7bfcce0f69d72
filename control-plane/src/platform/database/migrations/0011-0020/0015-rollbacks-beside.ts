/** Rollbacks run beside deploys, to images that are known to be kept (decision 021). */
export const rollbacksBeside = {
  version: 15,
  name: "rollbacks-beside",
  sql: `
drop index deploys_one_running_per_server;
create unique index deploys_one_running_per_server on deploys (server_id)
  where status = 'running' and kind = 'deploy';
create index deploys_running_rollbacks on deploys (server_id) where status = 'running' and kind = 'rollback';

-- false once the app's server may have removed it
alter table releases add column image_kept boolean not null default true;
-- Servers kept the newest five, and the one that serves.
update releases set image_kept = false where id not in (
  select id from (
    select r.id, row_number() over (partition by r.app_id order by r.created_at desc) as age
    from releases r join deploys d on d.id = r.deploy_id and d.status = 'success'
  ) served where age <= 5
) and id not in (select current_release_id from apps where current_release_id is not null);
`,
} as const;
