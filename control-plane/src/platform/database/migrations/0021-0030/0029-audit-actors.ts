/** Finds what somebody did to one thing lately, and whether a key did anything. */
export const auditActors = {
  version: 29,
  name: "audit-actors",
  sql: `
create index audit_log_actor on audit_log (actor, target, at);
`,
} as const;
