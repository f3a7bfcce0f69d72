import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { Clock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { AgentService } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { isPostgresMajor } from "@svc/shared/rules/postgres-versions.ts";
import type { AppTurns } from "../../apps/app-turns.ts";
import { describeDatabases, exportDatabases, importDatabases } from "../../database/carry.ts";
import { withinDiskRoom } from "../../platform/disk-room.ts";
import type { AppRef, Engine, Host, Proxy } from "../../ports.ts";
import type { DeployLock } from "../../runner/lock.ts";
import { headerAndChunks, type Chunks } from "./header-and-chunks.ts";
import { toAppRef, toLockRef } from "./requests.ts";

export interface CarryParts {
  lock: Pick<DeployLock, "requireHolder">;
  engine: Engine;
  host: Pick<Host, "disk">;
  proxy: Pick<Proxy, "routes">;
  turns: AppTurns;
  clock: Clock;
  stopping: AbortSignal;
}

type Calls = Pick<ServiceImpl<typeof AgentService>, "exportApp" | "importApp" | "describeDatabases">;

/** The engine writes as it likes; a message is at most 2 MiB. */
const CHUNK_BYTES_MAX = 512 * 1024;

/** The calls by which a move carries an app from one host to another. */
export function carryCalls(parts: CarryParts): Calls {
  const { lock, engine, turns } = parts;

  return {
    async *exportApp({ lock: ref, app: message, imageDigest }, { signal }) {
      const app = toAppRef(message);
      lock.requireHolder(toLockRef(ref));
      if (imageDigest !== "") return yield* inChunks(engine.saveImage(toDigest(imageDigest), app));
      // Nobody starts the database meanwhile.
      const done = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      void turns.take(app.id, () => (begun.resolve(), done.promise));
      try {
        await begun.promise;
        signal.throwIfAborted();
        yield* inChunks(exportDatabases(parts, app));
      } finally {
        done.resolve();
      }
    },

    async importApp(requests, { signal }: HandlerContext) {
      const { header, chunks: rest } = await headerAndChunks(requests, invalid);
      const app = toAppRef(header.app);
      const ref = toLockRef(header.lock);
      return turns.take(app.id, async (superseded) => {
        lock.requireHolder(ref);
        const ended = AbortSignal.any([signal, superseded, parts.stopping]);
        const chunks = until(ended, rest);
        if (header.what.case === "imageDigest") await takeImage(parts, app, toDigest(header.what.value), chunks);
        else await takeDatabases(parts, app, toVersion(header.what.value), chunks);
        return {};
      });
    },

    async describeDatabases({ lock: ref, app, collation }, { signal }) {
      lock.requireHolder(toLockRef(ref));
      return describeDatabases(parts, toAppRef(app), collation, AbortSignal.any([signal, parts.stopping]));
    },
  };
}

async function takeImage(parts: CarryParts, app: AppRef, digest: string, chunks: Chunks): Promise<void> {
  const { engine, host } = parts;
  if ((await engine.images(app.id)).some((image) => image.digest === digest)) return;
  const first = await chunks.next();
  // The caller has asked whether it is here.
  if (first.done) throw new SvcError("not_found", `The image ${digest} of ${app.name} is not on this server.`);
  async function* all(): Chunks {
    yield first.value as Uint8Array;
    yield* chunks;
  }
  const { dataDirectory: directory } = await engine.describe();
  const room = { host, directory, what: `the image of ${app.name}` };
  await withinDiskRoom(room, (untilFull) =>
    engine.loadImage(until(untilFull, all()), { digest, app, tag: digest.slice(-12) }),
  );
}

async function takeDatabases(parts: CarryParts, app: AppRef, version: string, chunks: Chunks): Promise<void> {
  const { engine, host, proxy } = parts;
  if ((await proxy.routes()).some((route) => route.appId === app.id)) {
    throw new SvcError("deploy_in_progress", `The app ${app.name} is served here, so its databases are not replaced.`);
  }
  const { dataDirectory: directory } = await engine.describe();
  const room = { host, directory, what: `the database of ${app.name}` };
  await withinDiskRoom(room, (untilFull) =>
    importDatabases(parts, app, { version, archive: until(untilFull, chunks) }),
  );
}

async function* until(signal: AbortSignal, items: AsyncIterable<Uint8Array>): Chunks {
  for await (const item of items) {
    signal.throwIfAborted();
    yield item;
  }
}

async function* inChunks(stream: AsyncIterable<Uint8Array>): AsyncGenerator<{ chunk: Uint8Array }> {
  for await (const bytes of stream) {
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES_MAX)
      yield { chunk: bytes.subarray(at, at + CHUNK_BYTES_MAX) };
  }
}

function toVersion(text: string | undefined): string {
  if (text !== undefined && isPostgresMajor(text)) return text;
  throw invalid(`database_version is ${JSON.stringify(text)}`);
}

function toDigest(text: string): string {
  if (/^sha256:[0-9a-f]{64}$/.test(text)) return text;
  throw invalid(`image_digest is ${JSON.stringify(text)}`);
}

function invalid(what: string): SvcError {
  return new SvcError("invalid_request", `The agent refused the call: ${what}.`);
}
