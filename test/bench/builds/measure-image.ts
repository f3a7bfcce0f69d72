import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { hostNpmRegistry } from "@svc/agent/build/build-npm-registry.ts";
import { connectDocker } from "@svc/agent/engine/connection.ts";
import { eventually } from "../../support/tools/eventually.ts";
import {
  changedFile,
  fixtureFolder,
  holds,
  readFixture,
  type FrameworkFixture,
} from "../../support/platform/framework-fixtures.ts";
import { timeStop } from "../../support/engine/stop-time.ts";
import { APP_CAPS } from "./app-caps.ts";
import { BUILDKIT, dockerThatBuilds } from "./docker-client.ts";

const run = promisify(execFile);

export interface ImageRecipe {
  /** The id of this measurement alone: names the image, and the cache mounts that nothing else has filled. */
  id: string;
  dockerfile: string;
  /** Where its container listens. */
  port: number;
}

export interface Measured {
  /** Seconds of a build with neither layers nor cache mounts of earlier ones; the base images are there. */
  cold: number;
  /** Seconds of the build after the fixture's one-line change. */
  rebuild: number;
  /** Megabytes of the image, its base included. */
  image: number;
  /** Megabytes that its processes hold after they have answered; without the page cache. */
  memory: number;
  /** Milliseconds from SIGTERM to the container's end. */
  stop: number;
}

/** This is as much as a build or a step may print; no more of it is looked at than the end. */
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/** The time after which runtimes have finished what follows their first answer, such as compiling. */
const REST_MS = 2000;

/** The seconds that a container has to end before the engine kills it: as apps have it on the platform. */
const STOP_SECONDS = 10;

/** Builds the fixture, changes it, builds it again, runs it, asks it and stops it. Nothing of it stays but build cache. */
export async function measureImage(fixture: FrameworkFixture, recipe: ImageRecipe): Promise<Measured> {
  const directory = mkdtempSync(join(tmpdir(), "svc-bench-image-"));
  const context = join(directory, "context");
  const folder = fixtureFolder(fixture.fixture);
  const build = await builder(directory, context, recipe);
  try {
    cpSync(folder, context, { recursive: true, filter: (path) => basename(path) !== "node_modules" });
    const cold = await build(["--no-cache"]);
    const changed = changedFile(readFixture(fixture.fixture), fixture.change);
    for (const [path, text] of Object.entries(changed)) writeFileSync(join(context, path), text);
    const rebuild = await build([]);
    const { stdout: bytes } = await run("docker", ["image", "inspect", "--format", "{{.Size}}", imageOf(recipe)]);
    return { cold, rebuild, image: Number(bytes) / 1e6, ...(await measureContainer(fixture, recipe)) };
  } finally {
    await run("docker", ["rmi", "--force", imageOf(recipe)]);
    rmSync(directory, { recursive: true, force: true });
  }
}

function imageOf({ id }: ImageRecipe): string {
  return `svc-bench/${id}`;
}

/** @returns builds the image, with further options, and says how many seconds that took */
async function builder(
  directory: string,
  context: string,
  recipe: ImageRecipe,
): Promise<(options: readonly string[]) => Promise<number>> {
  const file = join(directory, "Dockerfile");
  writeFileSync(file, withOwnLayers(recipe));
  const registry = await hostNpmRegistry();
  const args = [
    `--build-arg=BUILDKIT_CACHE_MOUNT_NS=${recipe.id}`,
    ...(registry === undefined ? [] : [`--build-arg=NPM_CONFIG_REGISTRY=${registry}`]),
    `--file=${file}`,
    `--tag=${imageOf(recipe)}`,
    "--progress=plain",
  ];
  const docker = await dockerThatBuilds();
  return async (options) => {
    const startedAt = performance.now();
    await run(docker, ["build", ...args, ...options, context], { env: BUILDKIT, maxBuffer: OUTPUT_BYTES_MAX });
    return (performance.now() - startedAt) / 1000;
  };
}

/** No instruction finds what an earlier measurement has left: a rebuild uses the layers of its own cold build. */
function withOwnLayers({ id, dockerfile }: ImageRecipe): string {
  return dockerfile.replaceAll(/^FROM .*$/gm, (from) => `${from}\nENV SVC_BENCH=${id}`);
}

async function measureContainer(
  fixture: FrameworkFixture,
  recipe: ImageRecipe,
): Promise<Pick<Measured, "memory" | "stop">> {
  // Rails does not start without the variable; the others do not look at it.
  const env = ["--env", `SECRET_KEY_BASE=${"0".repeat(128)}`];
  const { stdout } = await run("docker", ["run", "--detach", ...APP_CAPS, ...env, imageOf(recipe)]);
  const id = stdout.trim();
  try {
    await answers(fixture, `http://${await addressOf(id)}:${recipe.port}${fixture.path}`);
    await delay(REST_MS);
    const docker = connectDocker(process.env["DOCKER_HOST"]);
    const stats = await docker.getContainer(id).stats({ stream: false, "one-shot": true });
    const end = await timeStop(docker, id, async () => {
      await run("docker", ["stop", "--time", String(STOP_SECONDS), id]);
    });
    return { memory: anonymousBytes(stats.memory_stats.stats) / 1e6, stop: end.milliseconds };
  } finally {
    await run("docker", ["rm", "--force", "--volumes", id]);
  }
}

async function addressOf(id: string): Promise<string> {
  const { stdout } = await run("docker", ["inspect", "--format", "{{.NetworkSettings.IPAddress}}", id]);
  return stdout.trim();
}

async function answers({ expectedAfter }: FrameworkFixture, url: string): Promise<void> {
  await eventually(
    () =>
      fetch(url).then(
        (response) => response.text(),
        (error: unknown) => String(error),
      ),
    (body) => holds(body, expectedAfter),
    { what: `${url} answers ${String(expectedAfter)}`, deadlineMs: 60_000, intervalMs: 50 },
  );
}

/** `anon` with control groups v2, `total_rss` with v1. */
function anonymousBytes(stats: object): number {
  const found = Object.entries(stats).find(([name]) => name === "anon" || name === "total_rss");
  return found === undefined ? NaN : Number(found[1]);
}
