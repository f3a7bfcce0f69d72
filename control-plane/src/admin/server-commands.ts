import { Option, type Command } from "commander";
import type { Kysely } from "kysely";
import { isWildcard, type HostPort } from "@svc/shared/platform/env.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { isLoopbackName } from "@svc/shared/net/resolve-host.ts";
import type { Database } from "../platform/database/schema.ts";
import { setServer } from "../fleet/set-server.ts";
import { listServers, type ListedServer, type ServerRow } from "../fleet/servers.store.ts";
import { parseStatus } from "../fleet/parse-status.ts";
import { createJoinToken } from "../fleet/joining/create-join-token.ts";
import { createRejoinToken } from "../fleet/joining/create-rejoin-token.ts";
import { drainServer } from "../fleet/drain-server.ts";
import { undrainServer } from "../fleet/undrain-server.ts";
import { byCommand } from "../platform/audit.store.ts";
import { joinCommand } from "../fleet/joining/join-command.ts";
import type { JoinToken } from "../fleet/joining/issue-join-token.ts";
import { openAuthority } from "../fleet/authority/open-authority.ts";
import { removeServer } from "../lifecycle/remove-server.ts";
import { requireServer } from "../fleet/require-server.ts";
import { commaSeparated } from "./comma-separated.ts";
import { evacuate } from "./evacuate.ts";
import { ageText, internalCaOf, statusText } from "./server-status-text.ts";
import { upgradeServers } from "./upgrade-servers.ts";
import { textTable } from "@svc/shared/platform/text-table.ts";

export interface FleetCommandDeps {
  openDatabase(): Promise<{ db: Kysely<Database>; close(): Promise<void> }>;
  config: { dataDir: string; agentsListen: HostPort };
  /** Prints `value` as one JSON document with --json, else `human`. */
  print(value: unknown, human: string): void;
}

/** `server token|list|set|drain|undrain|upgrade|remove|status|ca`. */
export function registerServerCommands(program: Command, deps: FleetCommandDeps): void {
  const server = program.command("server").description("the hosts of the fleet");

  server
    .command("token")
    .description("a token with which one agent can join, within 15 minutes")
    .option("--name <name>", "what the server will be called (default: server-1, server-2, …)")
    .addOption(
      new Option(
        "--for <name>",
        "for the host of that server, which has lost its identity: it becomes the server again",
      ).conflicts("name"),
    )
    .action(async ({ name, for: former }: { name?: string; for?: string }) => {
      const token = await withDatabase(deps, async (db) => {
        const { fingerprint } = await openAuthority(db, deps.config.dataDir);
        if (former !== undefined) return createRejoinToken(db, fingerprint, former);
        return createJoinToken(db, fingerprint, byCommand, name);
      });
      const value = { token: token.token, server: token.server, expires_at: token.expiresAt.toISOString() };
      deps.print(value, await joinText(deps.config.agentsListen, token));
    });

  server
    .command("list")
    .description("the servers, and whether their agents are linked")
    .action(async () => {
      const servers = await withDatabase(deps, listServers);
      deps.print(servers.map(listedServer), serverTable(servers, new Date()));
    });

  server
    .command("set <name>")
    .description("which pool the server is in, which labels it has, and where balancers find its apps")
    .option("--pool <pool>", "apps that ask for no pool live in `default`")
    .option("--labels <list>", "comma separated, in place of those before; empty for none", commaSeparated)
    .option("--address <host[:port]>", "empty for where its agent was at its last link")
    .action(async (name: string, options: { pool?: string; labels?: string[]; address?: string }) => {
      const address = options.address === "" ? null : options.address;
      const set = await withDatabase(deps, (db) => setServer(db, name, { ...options, address }, byCommand));
      const labels = set.labels.length === 0 ? "no labels" : `the labels ${set.labels.join(", ")}`;
      const at = set.address === null ? "" : `, and is found at ${set.address}`;
      deps.print({ server: name, ...set }, `${name} is in the pool ${set.pool}, with ${labels}${at}.`);
    });

  server
    .command("drain <name>")
    .description("give the server no new apps; those on it go on")
    .option("--evacuate", "move every app on it to other servers, one at a time, and wait for that", false)
    .action(async (name: string, options: { evacuate: boolean }) => {
      if (options.evacuate) {
        const tell = (line: string): boolean => process.stderr.write(`${line}\n`);
        const moved = await withDatabase(deps, (db) => evacuate(db, name, tell));
        return deps.print({ server: name, state: "draining", moved }, `No app is left on ${name}. Moved: ${moved}.`);
      }
      await withDatabase(deps, (db) => drainServer(db, name, byCommand));
      deps.print({ server: name, state: "draining" }, `${name} takes no new apps.`);
    });

  server
    .command("undrain <name>")
    .description("give a drained server new apps again")
    .action(async (name: string) => {
      await withDatabase(deps, (db) => undrainServer(db, name, byCommand));
      deps.print({ server: name, state: "active" }, `${name} takes new apps again.`);
    });

  server
    .command("upgrade [name...]")
    .description(
      "give all servers, or these, this version of the agent, one at a time; stops at the first that is not ready",
    )
    .action(async (names: string[]) => {
      const tell = (line: string): boolean => process.stderr.write(`${line}\n`);
      const servers = await withDatabase(deps, (db) => upgradeServers(db, names, tell));
      const upgraded = servers.filter(({ left }) => left === undefined).length;
      deps.print({ servers }, `Upgraded: ${upgraded} of ${servers.length}.`);
    });

  server
    .command("remove <name>")
    .description("take the server out of the fleet; its agent stops what serves there, and ends")
    .option("--force", "also when apps live on it", false)
    .action(async (name: string, options: { force: boolean }) => {
      const { apps } = await withDatabase(deps, (db) => removeServer(db, name, options));
      const left = apps.length === 0 ? "" : ` Without a host until their next deploy: ${apps.join(", ")}.`;
      deps.print({ server: name, state: "removed", apps }, `${name} was removed.${left}`);
    });

  server
    .command("status <name>")
    .description("what the server's agent last told of its host")
    .action(async (name: string) => {
      const row = await withDatabase(deps, (db) => requireStatus(db, name));
      const value = { ...row.status, linked: row.linked, status_at: row.status_at.toISOString() };
      deps.print(value, statusText(row, new Date()));
    });

  server
    .command("ca <name>")
    .description("the root certificate of the server's internal CA, PEM")
    .action(async (name: string) => {
      const row = await withDatabase(deps, (db) => requireStatus(db, name));
      const pem = internalCaOf(row.status);
      if (pem === "") {
        throw new SvcError("not_found", `The proxy of ${name} has made no internal CA yet: deploy an app first.`);
      }
      deps.print({ server: name, internal_ca_pem: pem }, pem.trimEnd());
    });
}

export async function withDatabase<T>(deps: FleetCommandDeps, work: (db: Kysely<Database>) => Promise<T>): Promise<T> {
  const { db, close } = await deps.openDatabase();
  try {
    return await work(db);
  } finally {
    await close();
  }
}

type ServerWithStatus = ServerRow & { status: Record<string, unknown>; status_at: Date };

async function requireStatus(db: Kysely<Database>, name: string): Promise<ServerWithStatus> {
  const { status, status_at, ...row } = await requireServer(db, name);
  if (status && status_at) return { ...row, status, status_at };
  const hint =
    row.state === "joining"
      ? `It has not joined yet: start its agent with a token from \`server token --name ${name}\`.`
      : "It appears within seconds of the agent's first link: check that agent and control plane run.";
  throw new SvcError("not_found", `The agent of ${name} has not reported its status. ${hint}`);
}

async function joinText(agentsListen: HostPort, { token, server, expiresAt }: JoinToken): Promise<string> {
  return [
    `Token for ${server}, valid once and until ${expiresAt.toISOString()}:`,
    "",
    `  ${token}`,
    "",
    "On the host, a Debian or Ubuntu with curl, which this makes a server:",
    "",
    `  ${await joinCommand(agentsListen, "CONTROL_PLANE_HOST", token)}`,
    ...addressNotes(agentsListen),
  ].join("\n");
}

/** Lines that say what the command's address needs before another host reaches it. */
function addressNotes(agentsListen: HostPort): string[] {
  if (isWildcard(agentsListen)) {
    return ["", "CONTROL_PLANE_HOST is the name or address by which that host reaches this one."];
  }
  if (!isLoopbackName(agentsListen.host) && !/^(127\.|::1$)/.test(agentsListen.host)) return [];
  const { host, port } = agentsListen;
  return [
    "",
    `Another host can't reach ${host}: start the control plane with SVC_AGENTS_LISTEN=0.0.0.0:${port}, and make a token anew.`,
  ];
}

function listedServer(row: ListedServer) {
  return {
    id: row.id,
    name: row.name,
    state: row.state,
    drained: row.state === "draining",
    linked: row.linked,
    pool: row.pool,
    labels: row.labels,
    address: row.address ?? row.linked_from,
    apps: row.app_count,
    load_1m: loadOf(row),
    agent_version: row.agent_version,
    listen_address: row.listen_address,
    created_at: row.created_at.toISOString(),
    joined_at: row.joined_at?.toISOString() ?? null,
    status_at: row.status_at?.toISOString() ?? null,
  };
}

function loadOf({ status }: ListedServer): number | null {
  return status === null ? null : (parseStatus(status).cpu?.load1m ?? null);
}

function serverTable(servers: readonly ListedServer[], now: Date): string {
  if (servers.length === 0) return "No servers yet. Make a token for the first one with `server token`.";
  const rows = servers.map((row) => [
    row.name,
    row.state,
    row.linked ? "linked" : "away",
    row.pool,
    row.labels.join(",") || "-",
    row.address ?? row.linked_from ?? "-",
    String(row.app_count),
    loadOf(row)?.toFixed(2) ?? "-",
    row.agent_version ?? "-",
    row.status_at ? ageText(row.status_at, now) : "never",
  ]);
  const heads = ["NAME", "STATE", "AGENT", "POOL", "LABELS", "ADDRESS", "APPS", "LOAD", "VERSION", "LAST SEEN"];
  return textTable([heads, ...rows]);
}
