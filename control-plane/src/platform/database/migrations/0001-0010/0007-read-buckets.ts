/** The rate of requests that change nothing, where a tier limits it. */
export const readBuckets = {
  version: 7,
  name: "read-buckets",
  sql: `
-- token bucket of reads, shared by all processes
create table read_buckets (like write_buckets including all);
alter table read_buckets add foreign key (user_id) references users on delete cascade;
`,
} as const;
