import type { CommandSpec, Options } from "../command-line/command.ts";

const FOLLOWED: Options = {
  release: { type: "string", value: "NAME", help: "name the release; v1, v2, … otherwise" },
  detach: { type: "boolean", help: "start it and do not wait for its end" },
  "no-watch": { type: "boolean", help: "do not look at the app for 5 s after it went live" },
};

const ROOT: Options = {
  root: { type: "string", value: "DIR", help: "the folder of the repository that is the app, such as apps/web" },
};

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: "up",
    summary: "deploy this folder: creates the app when needed, and ends with its URL",
    details:
      "Reads svc.yaml, svc.yml or svc.json; without one, it asks for the app's name and writes it, or takes --app. Deploys\n" +
      "what the remote `origin` has for the current branch; without a remote, or with --local, the folder as it is, without\n" +
      "ignored files. Variables under `env` that the app does not have yet are looked for in the secrets manager (--vault,\n" +
      "SVC_VAULT_PATH or SVC_SECRETS_COMMAND), the environment and .env, in this order.",
    options: {
      ...FOLLOWED,
      ...ROOT,
      local: { type: "boolean", help: "deploy the folder as it is, uncommitted files included" },
      vault: { type: "string", value: "MOUNT/PATH", help: "the secret in HashiCorp Vault that has the variables" },
    },
    load: async () => (await import("../commands/up.ts")).up,
  },
  {
    name: "deploy",
    summary: "deploy what the app's repository has",
    options: {
      ref: { type: "string", value: "REF", help: "branch, tag or SHA; the default branch otherwise" },
      ...FOLLOWED,
    },
    load: async () => (await import("../commands/deploy.ts")).deploy,
  },
  {
    name: "plan",
    takes: ["[DIR|URL]"],
    summary: "say what a deploy would make of a folder, without account and network, or of a repository, and why",
    options: ROOT,
    load: async () => (await import("../commands/plan.ts")).plan,
  },
  {
    name: "init",
    summary: "write a spec file for this folder",
    load: async () => (await import("../commands/init.ts")).init,
  },
  {
    name: "status",
    summary: "how the app is, and how its last deploy went",
    load: async () => (await import("../commands/status.ts")).status,
  },
  {
    name: "logs",
    summary: "the end of the app's log",
    options: {
      follow: { type: "boolean", short: "f", help: "go on with what is written" },
      access: { type: "boolean", help: "the requests that the proxy handed to the app" },
      lines: { type: "string", short: "n", value: "N", help: "1 to 500; 100 otherwise" },
      release: { type: "string", value: "NAME", help: "of that release, also when it is gone" },
      deploy: { type: "string", value: "ID", help: "of that deploy, also when it failed" },
      since: { type: "string", value: "TIME", help: "search from then on: 2h, 7d, 2026-01-31T12:00:00Z" },
      until: { type: "string", value: "TIME", help: "search up to then" },
      query: { type: "string", value: "QUERY", help: 'search: words, "a text", -word, level:error, status:>=500' },
    },
    load: async () => (await import("../commands/logs.ts")).logs,
  },
  {
    name: "metrics",
    summary: "requests, errors, latency, processors and memory of the last hour",
    options: {
      since: { type: "string", value: "TIME", help: "from then on: 30m, 24h, 30d, 2026-01-31T12:00:00Z; 1h otherwise" },
    },
    load: async () => (await import("../commands/metrics.ts")).metrics,
  },
  {
    name: "env list",
    summary: "the app's variables: their keys",
    options: { values: { type: "boolean", help: "their values too" } },
    load: async () => (await import("../commands/env.ts")).listEnv,
  },
  {
    name: "env set",
    takes: ["KEY=VALUE…"],
    summary: "set variables; the value of a KEY without = is read from standard input",
    options: { sealed: { type: "boolean", help: "nobody reads the values again, only the app does" } },
    load: async () => (await import("../commands/env.ts")).setEnv,
  },
  {
    name: "env unset",
    takes: ["KEY…"],
    summary: "remove variables",
    load: async () => (await import("../commands/env.ts")).unsetEnv,
  },
  {
    name: "env pull",
    takes: ["[FILE]"],
    summary: "write the variables to a file, .env if none is named; - is standard output",
    options: { force: { type: "boolean", help: "replace the file" } },
    load: async () => (await import("../commands/env.ts")).pullEnv,
  },
  {
    name: "env push",
    takes: ["[FILE]"],
    summary: "set all variables of a file, .env if none is named; - is standard input",
    options: { sealed: { type: "boolean", help: "nobody reads the values again, only the app does" } },
    load: async () => (await import("../commands/env.ts")).pushEnv,
  },
  {
    name: "releases",
    summary: "what the app can go back to",
    load: async () => (await import("../commands/status.ts")).releases,
  },
  {
    name: "move",
    takes: ["APP"],
    summary: "move the app to another server, with its databases; requests are refused while those are carried",
    options: {
      to: { type: "string", value: "SERVER", help: "the server that it goes to" },
      detach: { type: "boolean", help: "start it and do not wait for its end" },
      cancel: { type: "boolean", help: "give up the move that goes on: the app goes on where it was" },
    },
    load: async () => (await import("../commands/move.ts")).move,
  },
  {
    name: "rollback",
    takes: ["[RELEASE]"],
    summary: "go back to the release before, or to the one that is named",
    load: async () => (await import("../commands/rollback.ts")).rollback,
  },
  {
    name: "cancel",
    takes: ["[DEPLOY]"],
    summary: "cancel the deploy that runs",
    load: async () => (await import("../commands/rollback.ts")).cancel,
  },
  {
    name: "start",
    takes: ["[APP]"],
    summary: "start the app again after a stop",
    load: async () => (await import("../commands/app-life.ts")).start,
  },
  {
    name: "stop",
    takes: ["[APP]"],
    summary: "stop the app; its container and its data are kept",
    load: async () => (await import("../commands/app-life.ts")).stop,
  },
  {
    name: "restart",
    takes: ["[APP]"],
    summary: "start the app's container anew",
    load: async () => (await import("../commands/app-life.ts")).restart,
  },
  {
    name: "open",
    summary: "the app's URL, opened in the browser",
    load: async () => (await import("../commands/open.ts")).open,
  },
  {
    name: "apps",
    summary: "your apps",
    load: async () => (await import("../commands/status.ts")).apps,
  },
  {
    name: "apps delete",
    takes: ["APP"],
    summary: "take an app off its server; its name and its database are kept",
    options: {
      purge: { type: "boolean", help: "remove them as well, for good" },
      yes: { type: "boolean", help: "do not ask" },
    },
    load: async () => (await import("../commands/app-life.ts")).deleteApp,
  },
  {
    name: "domains list",
    summary: "the app's own domains",
    load: async () => (await import("../commands/domains.ts")).listDomains,
  },
  {
    name: "domains add",
    takes: ["DOMAIN"],
    summary: "attach a domain: shows the records that it needs, and waits until it is proven and served",
    details:
      "Asks for two records: a TXT record that proves that the domain is yours, and a CNAME, or A and AAAA, that leads it to\n" +
      "the app. It looks for them for 15 minutes; the same command goes on later. Ctrl-C keeps what was attached.",
    options: { detach: { type: "boolean", help: "look once, and do not wait" } },
    load: async () => (await import("../commands/add-domain.ts")).addDomain,
  },
  {
    name: "domains check",
    takes: ["DOMAIN"],
    summary: "whether the domain is served with its certificate",
    load: async () => (await import("../commands/domains.ts")).checkDomain,
  },
  {
    name: "domains remove",
    takes: ["DOMAIN"],
    summary: "detach a domain",
    load: async () => (await import("../commands/domains.ts")).removeDomain,
  },
  {
    name: "webhooks list",
    summary: "who is told how deploys end, and how the app is",
    load: async () => (await import("../commands/webhooks.ts")).listWebhooks,
  },
  {
    name: "webhooks add",
    takes: ["URL"],
    summary: "register a receiver; prints its secret, this once",
    options: {
      events: {
        type: "string",
        value: "LIST",
        help: "comma separated: deploy.succeeded, deploy.failed, deploy.rolled_back (these otherwise), app.unhealthy, app.recovered",
      },
    },
    load: async () => (await import("../commands/webhooks.ts")).addWebhook,
  },
  {
    name: "webhooks remove",
    takes: ["ID"],
    summary: "remove a receiver",
    load: async () => (await import("../commands/webhooks.ts")).removeWebhook,
  },
  {
    name: "webhooks deliveries",
    takes: ["ID"],
    summary: "what was sent to a receiver, newest first",
    load: async () => (await import("../commands/webhooks.ts")).listDeliveries,
  },
  {
    name: "deploy-key create",
    summary: "make a key for the app's private repository on GitHub",
    load: async () => (await import("../commands/deploy-key.ts")).createDeployKey,
  },
  {
    name: "deploy-key show",
    summary: "its public key and fingerprint",
    load: async () => (await import("../commands/deploy-key.ts")).showDeployKey,
  },
  {
    name: "deploy-key remove",
    summary: "remove it",
    load: async () => (await import("../commands/deploy-key.ts")).removeDeployKey,
  },
  {
    name: "link",
    takes: ["[APP]"],
    summary: "remember which app the commands in this folder are for; on a terminal it asks",
    details: "It is kept beside the stored key, not in the folder. --app and a spec file that names an app go first.",
    load: async () => (await import("../commands/link.ts")).link,
  },
  {
    name: "unlink",
    summary: "forget it",
    load: async () => (await import("../commands/link.ts")).unlink,
  },
  {
    name: "login",
    takes: ["[URL]"],
    summary: "get an API key in the browser, and store it with the service's address",
    details:
      "Shows a code, which somebody who is signed in approves in the browser of any machine; it works over SSH. Without a\n" +
      "terminal the key is read from standard input; --key and SVC_API_KEY store the key that they name.",
    options: { team: { type: "string", value: "TEAM", help: "id or name of the team that the page proposes" } },
    load: async () => (await import("../commands/login/login.ts")).login,
  },
  {
    name: "logout",
    summary: "revoke the stored key, and forget it",
    load: async () => (await import("../commands/login/login.ts")).logout,
  },
  {
    name: "whoami",
    summary: "whose key is used, in which team and at which service",
    load: async () => (await import("../commands/login/whoami.ts")).whoami,
  },
  {
    name: "teams",
    summary: "the teams that the key acts in, and your role there",
    load: async () => (await import("../commands/login/whoami.ts")).teams,
  },
  {
    name: "mcp",
    summary: "the tools for an assistant that starts its servers as processes (Model Context Protocol)",
    details:
      "An assistant starts it and talks to it by standard input and output. It hands each message to the service with the stored\n" +
      "key, or the one of --key or SVC_API_KEY, whose scopes decide which tools there are. An assistant that can call an address\n" +
      "needs none of it: give it the service's address with /mcp.",
    load: async () => (await import("../commands/mcp/mcp.ts")).mcp,
  },
  {
    name: "completion",
    takes: ["SHELL"],
    summary: "a script for bash, zsh or fish that completes commands and options",
    load: async () => (await import("../commands/completion.ts")).completion,
  },
];
