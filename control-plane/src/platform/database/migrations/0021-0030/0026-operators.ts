/** Operators are people (decision 031), and see until when a server's agent is recognised. */
export const operators = {
  version: 26,
  name: "operators",
  sql: `
alter table users add column is_operator boolean not null default false;

-- the end of the certificate with which the agent's newest link was made; null before the first
alter table servers add column certificate_until timestamptz;
`,
} as const;
