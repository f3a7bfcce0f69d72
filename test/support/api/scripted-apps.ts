import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";
import type { Db } from "@svc/control-plane/platform/database/database.ts";
import { ensureRelease } from "@svc/control-plane/deploys/inputs/pipeline-inputs.store.ts";
import { sealContext, type AgentClient, type KeyRing } from "@svc/control-plane/ports.ts";
import { AgentService, ErrorDetailSchema, type SearchLogsRequest } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { ErrorCode } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";

/** Lines that come while others are sent go out together, as an agent sends them. */
const BATCH_LINES = 100;

/** An agent that only starts, stops and removes apps and shows logs, and does nothing on a host. */
export class ScriptedApps {
  /** One entry per call, such as `remove shop purge`. */
  readonly calls: string[] = [];
  /** The refusal of every call but those for logs. */
  refusal: ErrorCode | undefined;
  /** How many calls were refused. */
  refused = 0;
  /** Is called before an app is started or stopped. */
  whileActing: () => Promise<unknown> = () => Promise.resolve();
  /** Is called before a removal is done. */
  whileRemoving: () => Promise<unknown> = () => Promise.resolve();
  log: string[] = [];
  /** Logs of former containers, by deploy or release. */
  readonly formerLogs = new Map<string, string[]>();
  /** The refusal of calls for logs. */
  logRefusal: ErrorCode | undefined;
  /** The searches that it was asked for. */
  readonly searches: SearchLogsRequest[] = [];
  /** Where searches stop before the end of what there is. */
  searchedBackTo: Date | undefined;
  /** Open followers; `write` reaches them. */
  readonly followers = new Set<(line: string | undefined) => void>();

  write(line: string): void {
    this.log.push(line);
    for (const follower of this.followers) follower(line);
  }

  /** The container ends, and with it the log. */
  end(): void {
    for (const follower of this.followers) follower(undefined);
  }

  client(): AgentClient {
    const did = (call: string) => {
      if (this.refusal) {
        this.refused += 1;
        throw refused(this.refusal);
      }
      this.calls.push(call);
      return {};
    };
    const transport = createRouterTransport(({ service }) => {
      service(AgentService, {
        startApp: ({ app }) => this.whileActing().then(() => did(`start ${app!.name}`)),
        stopApp: ({ app }) => this.whileActing().then(() => did(`stop ${app!.name}`)),
        restartApp: ({ app }) => this.whileActing().then(() => did(`restart ${app!.name}`)),
        scaleApp: ({ app, copies }) => did(`scale ${app!.name} ${copies}`),
        removeApp: async ({ app, purge }) => {
          await this.whileRemoving();
          return did(`remove ${app!.name}${purge ? " purge" : ""}`);
        },
        searchLogs: (request) => this.#search(request),
        streamLogs: ({ lines, follow, deployId, release }, { signal }) =>
          deployId || release ? this.#formerLines(lines, deployId || release) : this.#lines(lines, follow, signal),
      });
    });
    return createClient(AgentService, transport);
  }

  async *#search(request: SearchLogsRequest) {
    await Promise.resolve();
    this.searches.push(request);
    if (this.logRefusal) throw refused(this.logRefusal);
    const time = timestampFromDate(new Date("2026-01-31T12:00:00.123Z"));
    yield { lines: this.log.slice(-request.lines).map((text) => ({ time, text })) };
    if (this.searchedBackTo) yield { continueUntil: timestampFromDate(this.searchedBackTo) };
  }

  async *#formerLines(lines: number, of: string) {
    await Promise.resolve();
    const former = this.formerLogs.get(of);
    if (!former) throw refused("not_found");
    const time = timestampFromDate(new Date("2026-01-31T12:00:00.123Z"));
    yield { lines: former.slice(-lines).map((text) => ({ time, text })) };
  }

  async *#lines(lines: number, follow: boolean, signal: AbortSignal) {
    if (this.logRefusal) throw refused(this.logRefusal);
    const time = timestampFromDate(new Date("2026-01-31T12:00:00.123Z"));
    yield { lines: this.log.slice(-lines).map((text) => ({ time, text })) };
    if (!follow) return;
    const waiting: (string | undefined)[] = [];
    let wake = (): void => undefined;
    const follower = (line: string | undefined): void => {
      waiting.push(line);
      wake();
    };
    this.followers.add(follower);
    try {
      while (!signal.aborted) {
        if (waiting.length > 0) {
          const batch = waiting.splice(0, BATCH_LINES);
          const written = batch.filter((line) => line !== undefined);
          if (written.length > 0) yield { lines: written.map((text) => ({ time, text })) };
          if (written.length < batch.length) return;
        } else
          await new Promise<void>((resolve) => {
            wake = resolve;
            signal.addEventListener("abort", () => resolve(), { once: true });
          });
      }
    } finally {
      this.followers.delete(follower);
    }
  }
}

function refused(code: ErrorCode): ConnectError {
  const detail = { desc: ErrorDetailSchema, value: { code } };
  return new ConnectError(`The agent refuses: ${code}.`, Code.FailedPrecondition, undefined, [detail]);
}

/** Makes the app look as a successful deploy leaves it. */
export async function addLiveRelease(
  { db, keyRing }: { db: Db; keyRing: KeyRing },
  app: { name: string; userId: string; serverId: string; env?: Record<string, string>; release?: string },
): Promise<{ appId: string; deployId: string }> {
  const { id: appId } = await db.selectFrom("apps").select("id").where("name", "=", app.name).executeTakeFirstOrThrow();
  const deployId = newId();
  const { release: releaseName = "v1" } = app;
  const now = new Date();
  await db
    .insertInto("deploys")
    .values({
      id: deployId,
      app_id: appId,
      user_id: app.userId,
      server_id: app.serverId,
      status: "success",
      release: releaseName,
      started_at: now,
      finished_at: now,
    })
    .execute();
  const release = await ensureRelease(db, {
    id: newId(),
    appId,
    deployId,
    name: releaseName,
    imageDigest: `sha256:${"b".repeat(64)}`,
    commitSha: "a".repeat(40),
    framework: "node",
    port: 3000,
    env: keyRing.seal(JSON.stringify(app.env ?? {}), sealContext.releaseEnv(deployId)),
  });
  await db
    .updateTable("apps")
    .set({ status: "running", server_id: app.serverId, current_release_id: release.id, deploy_count: 1 })
    .where("id", "=", appId)
    .execute();
  return { appId, deployId };
}
