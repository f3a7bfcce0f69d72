/** A repository is made without a commit, so that a first push is an ordinary one. */
export const emptyRepositories = {
  version: 9,
  name: "empty-repositories",
  sql: `
-- null until the first push
alter table repositories alter column head_sha drop not null;
`,
} as const;
