import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sample } from "../../support/platform/apps.ts";
import { eventually } from "../../support/tools/eventually.ts";
import { startPlatformWithGit, type PlatformWithGit } from "../../support/platform/platform-with-git.ts";
import type { Figure } from "../figures.ts";
import { startHand, type Hand } from "./by-hand.ts";

const ROUNDS = 5;
/** First deploys fetch all dependencies: fewer rounds tell as much. */
const FIRST_ROUNDS = 3;

/**
 * First, unchanged and one-line deploys of an Express app with dependencies, from the request to the new release
 * answering through the proxy; each beside the same work by hand, in turn, in one run. Draining comes after both.
 */
export async function benchDeploy(): Promise<Figure[]> {
  const directory = mkdtempSync(join(tmpdir(), "svc-bench-"));
  const setup = await startPlatformWithGit();
  const hands: Hand[] = [];
  const newHand = async (app: BenchApp): Promise<Hand> => {
    const hand = await startHand({
      directory: join(directory, app.name),
      repoUrl: app.repoUrl,
      caFile,
      files: app.files,
    });
    hands.push(hand);
    return hand;
  };
  const caFile = join(directory, "git-ca.pem");
  writeFileSync(caFile, setup.git.caPem);
  try {
    const first: Pair = { ours: [], hand: [] };
    for (let i = 0; i < FIRST_ROUNDS; i++) {
      const app = await newApp(setup, `first-${i}`);
      first.ours.push(await deployThroughApi(setup, app.name));
      first.hand.push(await (await newHand(app)).deploy("hand-1"));
    }

    const app = await newApp(setup, "again");
    const { name, commit } = app;
    const hand = await newHand(app);
    await deployThroughApi(setup, name);
    await hand.deploy("hand-warm");
    const unchanged: Pair = { ours: [], hand: [] };
    const oneLine: Pair = { ours: [], hand: [] };
    for (let i = 0; i < ROUNDS; i++) {
      unchanged.ours.push(await deployThroughApi(setup, name));
      unchanged.hand.push(await hand.deploy(`hand-unchanged-${i}`));
      await commit({ "index.js": appSource(`ours ${i}`) });
      oneLine.ours.push(await deployThroughApi(setup, name));
      await commit({ "index.js": appSource(`hand ${i}`) });
      oneLine.hand.push(await hand.deploy(`hand-changed-${i}`));
    }
    return [figure("first deploy", first), figure("unchanged", unchanged), figure("one line changed", oneLine)];
  } finally {
    await Promise.all(hands.map((hand) => hand.stop()));
    await setup.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

interface Pair {
  ours: number[];
  hand: number[];
}

function figure(what: string, { ours, hand }: Pair): Figure {
  return {
    bench: "deploy",
    what,
    unit: "ms",
    values: ours,
    floor: hand,
    floorIs: "fetch, build, run, probe, switch by hand",
  };
}

function appSource(line: string): string {
  return `import express from "express";
const app = express();
app.get("/", (_req, res) => res.send(process.env.SVC_RELEASE + " ${line}"));
app.listen(process.env.PORT, "0.0.0.0");
`;
}

type BenchApp = Awaited<ReturnType<typeof newApp>>;

async function newApp(setup: PlatformWithGit, name: string) {
  const { "package.json": manifest, "package-lock.json": lock } = sample("express");
  const files = { "package.json": String(manifest), "package-lock.json": String(lock), "index.js": appSource("first") };
  const { url, commit } = await setup.createApp(name, files);
  return { name, files, repoUrl: url, commit };
}

/** @returns milliseconds from the request to the first answer of the new release through the proxy */
async function deployThroughApi({ platform }: PlatformWithGit, name: string): Promise<number> {
  const began = performance.now();
  const { status, body } = await platform.api("POST", `/api/apps/${name}/deploy`, {});
  const { deploy_id: id } = body as { deploy_id?: string };
  if (status !== 202 || id === undefined) throw new Error(`deploy ${name}: ${status} ${JSON.stringify(body)}`);
  const { deploy } = (await platform.api("GET", `/api/deploys/${id}`)).body as { deploy: { release: string } };
  const served = eventually(
    () => platform.fetchApp(name).then(({ body: text }) => text, String),
    (text) => text.startsWith(`${deploy.release} `),
    { what: `${deploy.release} of ${name} is served`, deadlineMs: 120_000, intervalMs: 10 },
  ).then(() => performance.now() - began);
  const ended = platform.deployEnd(id);
  const { deploy: end } = await ended;
  if (end.status !== "success") throw new Error(`deploy ${name}: ${end.status} ${end.error}`);
  const took = await served;
  return took;
}
