/**
 * The rooms of each workspace: a file imports from its own room and from those to its left, never to its right. A room
 * holds one subject. A file in no room fails `npm run check`, and so does a room that is not there.
 */
const shared = [
  ["errors.ts", "gen", "json.ts"],
  ["rules"],
  ["platform"],
  ["redaction"],
  ["net"],
  ["spec"],
  ["frameworks"],
];

const controlPlane = [
  ["ports.ts"],
  ["platform"],
  ["secrets"],
  ["accounts"],
  ["fleet"],
  ["repositories"],
  ["apps"],
  ["domains"],
  ["webhooks"],
  ["deploys"],
  ["observed"],
  ["lifecycle"],
  ["logs"],
  ["operators"],
  ["metrics"],
  ["assistant"],
  ["api"],
  ["config.ts"],
  ["admin"],
  ["app.ts"],
  ["main.ts"],
];

/** The pages: a browser's code. */
const dashboard = [["client"], ["text"], ["parts"], ["pages"]];

const agent = [
  ["platform"],
  ["engine"],
  ["runner"],
  ["source"],
  ["build"],
  ["database"],
  ["edge"],
  ["log-store"],
  ["bounds"],
  ["apps"],
  ["steps"],
  ["probation"],
  ["samples"],
  ["config.ts"],
  ["host"],
  ["link"],
  ["dummy"],
  ["app.ts"],
  ["main.ts"],
];

/** Types alone, which speak of the rooms' rules; every room may import them. */
const agentPorts = "ports.ts";

const cli = [
  ["runtime", "gen"],
  ["output"],
  ["command-line"],
  ["api"],
  ["secrets"],
  ["project"],
  ["deploy"],
  ["commands"],
  ["dispatch"],
  ["main.ts"],
];

/** Folder → its rules: files without effects, which import of their workspace other rules alone. */
const rulesOf = {
  "agent/src/apps": "containers-to-start containers-to-stop",
  "agent/src/bounds": "memory-sum",
  "agent/src/build/context": "docker-ignore",
  "agent/src/database": "provision-db-request",
  "agent/src/edge": "platform-stop routes",
  "agent/src/edge/access-log": "access-entry",
  "agent/src/edge/certificates": "certificate-policy issuance issuance-budget",
  "agent/src/engine": "disk-limits",
  "agent/src/engine/containers": "app-failure app-health container-spec container-state",
  "agent/src/engine/logs": "app-notice log-budget log-file-line log-lines",
  "agent/src/engine/network": "address-block",
  "agent/src/log-store": "bounds cursor segment-name",
  "agent/src/platform": "byte-size disk-shortage hostname operator-error path-pattern selection",
  "agent/src/probation": "probation",
  "agent/src/runner": "deploy-lock",
  "agent/src/samples": "answered-requests usage-of-apps",
  "agent/src/source/git": "git-credentials",
  "agent/src/steps": "deploy-container-request",
  "control-plane/src/accounts": "email rate tier",
  "control-plane/src/accounts/keys": "api-key",
  "control-plane/src/accounts/teams": "team",
  "control-plane/src/accounts/mail": "mail-retry mail-text",
  "control-plane/src/accounts/identity": "one-time-token own-path",
  "control-plane/src/accounts/identity/device": "device-code",
  "control-plane/src/accounts/identity/joining": "sign-up-policy",
  "control-plane/src/accounts/identity/oauth": "code-challenge metadata redirect-uri",
  "control-plane/src/accounts/identity/oidc": "provider refusal-reasons",
  "control-plane/src/accounts/identity/passkeys": "passkey passkey-answers relying-party",
  "control-plane/src/accounts/identity/second-factor": "totp",
  "control-plane/src/apps": "app framework port",
  "control-plane/src/apps/deploy-keys": "deploy-key-host openssh-key",
  "control-plane/src/apps/env": "env-var",
  "control-plane/src/apps/health": "app-health",
  "control-plane/src/assistant/chat": "for-person hide-values part",
  "control-plane/src/assistant/chat/grammar": "form intents understand",
  "control-plane/src/deploys": "deploy",
  "control-plane/src/deploys/inputs": "database-name",
  "control-plane/src/deploys/events": "output-tail",
  "control-plane/src/deploys/releases": "release taken-back",
  "control-plane/src/domains": "custom-domain",
  "control-plane/src/deploys/placement": "placement",
  "control-plane/src/deploys/waiting": "waits-for",
  "control-plane/src/fleet": "app-name app-url server",
  "control-plane/src/fleet/authority": "pem-certificates",
  "control-plane/src/metrics": "app-metrics latency",
  "control-plane/src/platform": "invalid is-same-secret moment role scope scope-roles storable-text stream-heartbeat",
  "control-plane/src/repositories": "hosted-repository ref repo-url root",
  "control-plane/src/webhooks": "webhook",
};

/** Each file in these folders is a rule. */
const foldersOfRules = ["shared/src/rules", "agent/src/build/dockerfile"];

const rules = Object.entries(rulesOf).flatMap(([folder, names]) =>
  names.split(" ").map((name) => `${folder}/${name}.ts`),
);

module.exports = { agent, agentPorts, cli, controlPlane, dashboard, foldersOfRules, rules, shared };
