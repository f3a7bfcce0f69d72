/** Kinds of entries, by how their actions begin. */
const SHARED = [
  { value: "app.", text: "Apps" },
  { value: "deploy.", text: "Deploys" },
  { value: "rollback.", text: "Rollbacks" },
  { value: "move.", text: "Moves" },
  { value: "env.", text: "Variables" },
  { value: "domain.", text: "Domains" },
  { value: "webhook.", text: "Webhooks" },
  { value: "repository.", text: "Repositories" },
  { value: "deploy_key.", text: "Deploy keys" },
  { value: "card.", text: "Chat" },
  { value: "key.", text: "API keys" },
  { value: "device.", text: "Devices" },
  { value: "client.", text: "Programs" },
  { value: "member.", text: "Members" },
  { value: "invitation.", text: "Invitations" },
  { value: "team.", text: "The team" },
] as const;

/** The acts of a person on their account are read in their personal team. */
const PERSONAL = [
  { value: "session.", text: "Sign-ins" },
  { value: "user.", text: "The account" },
  { value: "second_factor.", text: "Second factor" },
  { value: "passkey.", text: "Passkeys" },
  { value: "provider.", text: "Providers" },
] as const;

const PLATFORM = [
  { value: "server.", text: "Servers" },
  { value: "team.", text: "Tiers of teams" },
  { value: "user.", text: "Users" },
  { value: "key.", text: "API keys" },
  { value: "operator.", text: "Operators" },
  { value: "secrets.", text: "Secrets" },
] as const;

/** The kinds that there are in a place; the first one is all. */
export function kindsOf(place: "platform" | "personal" | "team"): { value: string; text: string }[] {
  const kinds = place === "platform" ? PLATFORM : place === "personal" ? [...SHARED, ...PERSONAL] : SHARED;
  return [{ value: "", text: "All" }, ...kinds];
}
