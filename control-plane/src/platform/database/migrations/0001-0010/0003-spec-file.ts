/** Columns for a commit's spec file: settings of its release's containers. */
export const specFile = {
  version: 3,
  name: "spec-file",
  sql: `
-- caps that the spec file asks for; null: the tier's
alter table releases add column memory_bytes bigint;
alter table releases add column cpu_millis integer;
-- words that take the place of the image's own command; null: that one
alter table releases add column command text[];
`,
} as const;
