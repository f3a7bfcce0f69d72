/** Which host a server's id belongs to, when another has taken it over. */
export const serverKeys = {
  version: 16,
  name: "server-keys",
  sql: `
-- SHA-256 of the public key (SubjectPublicKeyInfo, DER) of the host's certificate, which renewals keep;
-- null for a server that has joined before this was recorded, until it renews
alter table servers add column host_key bytea;
`,
} as const;
