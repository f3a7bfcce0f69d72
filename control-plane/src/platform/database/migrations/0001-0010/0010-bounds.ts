/** Bounds of the tables that grow by themselves (decision 015). */
export const bounds = {
  version: 10,
  name: "bounds",
  sql: `
-- bytes of its lines and progress in deploy_events, as they are counted; null: none of its events are left
alter table deploys add column log_bytes bigint default 0;
-- bytes of its steps' output, counted when it ends
alter table deploys add column output_bytes bigint not null default 0;
update deploys d set log_bytes = e.bytes
from (
  select deploy_id, sum(pg_column_size(payload) + 160) as bytes
  from deploy_events where kind in ('log', 'progress') group by deploy_id
) e where e.deploy_id = d.id;
update deploys d set output_bytes = s.bytes
from (select deploy_id, sum(octet_length(output)) as bytes from deploy_steps where output <> '' group by deploy_id) s
where s.deploy_id = d.id;
create index deploys_log on deploys (app_id, seq) where log_bytes > 0;
create index deploys_output on deploys (app_id, seq) where output_bytes > 0;
create index deploys_events_kept on deploys (finished_at) where log_bytes is not null;
create index deploys_success on deploys (app_id, seq desc) where status = 'success';

-- a purge takes the app at once and leaves its deploys behind, without an app, for the janitor
alter table deploys alter column app_id drop not null;
alter table deploys drop constraint deploys_app_id_fkey;
alter table deploys add foreign key (app_id) references apps on delete set null;
create index deploys_purged on deploys (id) where app_id is null;
alter table releases alter column app_id drop not null;
alter table releases drop constraint releases_app_id_fkey;
alter table releases add foreign key (app_id) references apps on delete set null;
-- what the deletion of a release looks for
create index deploys_target on deploys (target_release_id) where target_release_id is not null;
create index apps_current_release on apps (current_release_id) where current_release_id is not null;

-- whose doing it was, or whose app it is about; null: the operator's
alter table audit_log add column owner_id uuid;
update audit_log l set owner_id = k.user_id from api_keys k where l.actor = 'key:' || k.id;
update audit_log set owner_id = substr(actor, 6)::uuid where actor like 'user:%';
update audit_log l set owner_id = a.owner_id from apps a where l.detail ->> 'app_id' = a.id::text and l.owner_id is null;
create index audit_log_owner on audit_log (owner_id, id);
create index audit_log_age on audit_log (at);
`,
} as const;
