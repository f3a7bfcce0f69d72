/** Deploys that the agent took back soon after they went live (decision 020). */
export const takenBack = {
  version: 14,
  name: "taken-back",
  sql: `
-- of a deploy: {at, reason, detail, exit_code, last_lines, release, deploy_id}, as the API shows it, the last two of what
-- serves instead; null when it was not taken back. The rollback is a row of its own, as one that a person asks for.
alter table deploys add column taken_back jsonb;

alter table deploy_events drop constraint deploy_events_kind_check;
-- taken_back: as deploys.taken_back; it comes after the event that ended the deploy
alter table deploy_events add constraint deploy_events_kind_check
  check (kind in ('log', 'progress', 'step', 'deploy', 'taken_back')) not valid;
`,
} as const;
