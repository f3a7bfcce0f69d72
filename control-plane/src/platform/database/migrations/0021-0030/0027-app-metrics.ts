/** Agents tell what apps use and answer (decision 029). */
export const appMetrics = {
  version: 27,
  name: "app-metrics",
  sql: `
-- adds counts place by place; the longer one gives the length
create function add_counts(a integer[], b integer[]) returns integer[] language sql immutable parallel safe as $$
  select coalesce(array_agg(coalesce(x, 0) + coalesce(y, 0) order by place), '{}')
  from unnest(a, b) with ordinality as pairs (x, y, place)
$$;
create aggregate sum_counts(integer[]) (sfunc = add_counts, stype = integer[], initcond = '{}');

-- a ring for each app and step: a row is overwritten when its slot comes round again, so that an app has so many rows at most
create table app_metrics (
  app_id uuid not null references apps on delete cascade,
  -- seconds since 1970, a multiple of the step
  starts_at bigint not null,
  memory_bytes bigint,
  memory_bytes_max bigint,
  network_bytes_in bigint,
  network_bytes_out bigint,
  cpu_ms integer,
  restarts integer,
  requests integer not null,
  client_errors integer not null,
  errors integer not null,
  -- 10, 60 or 600 seconds
  step smallint not null,
  -- starts_at / step, modulo the ring's length
  slot smallint not null,
  -- of how many windows of 10 s the usage is known; without any it is null
  usage_windows smallint not null,
  -- by the buckets of shared/src/rules/metrics/latency-buckets.ts, without zeros at the end
  latency_counts integer[] not null,
  primary key (app_id, step, slot)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
`,
} as const;
