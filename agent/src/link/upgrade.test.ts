import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { pack } from "tar-stream";
import { afterEach, beforeEach, expect, it } from "vitest";
import { findInstallation } from "../platform/installation.ts";
import { confirmVersion, isOnTrial, sweepUpgrades, switchVersion, unpackVersion } from "./upgrade.ts";

const OLD = "0.1.0+000000000000";
const NEW = "0.2.0+111111111111";
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "svc-upgrade-"));
  mkdirSync(join(root, "versions", OLD, "dist"), { recursive: true });
  symlinkSync(join("versions", OLD), join(root, "current"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const installation = () => ({ root, version: OLD });

async function archiveOf(version: string): Promise<Buffer> {
  const tar = pack();
  tar.entry({ name: "bundle.json" }, JSON.stringify({ version }));
  tar.entry({ name: "bin/node", mode: 0o755 }, "#!/bin/sh\n");
  tar.finalize();
  return buffer(tar);
}

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

async function* inParts(bytes: Buffer, failAfter = Infinity): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 700) {
    if (at >= failAfter) throw new Error("the link broke");
    yield bytes.subarray(at, at + 700);
  }
}

it("an archive becomes a version beside the one that runs, once", async () => {
  const archive = await archiveOf(NEW);
  const upgrade = { version: NEW, sha256: sha256(archive) };
  await unpackVersion(installation(), upgrade, inParts(archive));
  expect(readFileSync(join(root, "versions", NEW, "bundle.json"), "utf8")).toContain(NEW);
  const never = inParts(archive, 0);
  await unpackVersion(installation(), upgrade, never);
  expect(readdirSync(join(root, "versions")).toSorted()).toEqual([OLD, NEW]);
});

it.each([
  ["has another SHA-256", { version: NEW, sha256: "0".repeat(64) }, Infinity, "SHA-256"],
  ["breaks off", { version: NEW }, 1_400, "the link broke"],
  ["holds another version", { version: "0.3.0+222222222222" }, Infinity, "holds the version"],
  ["has a version that is no version", { version: "../../etc" }, Infinity, "its version is"],
])("an archive that %s leaves nothing behind", async (_, upgrade, failAfter, words) => {
  const archive = await archiveOf(NEW);
  const asked = { sha256: sha256(archive), ...upgrade };
  await expect(unpackVersion(installation(), asked, inParts(archive, failAfter))).rejects.toThrow(words);
  expect(readdirSync(join(root, "versions"))).toEqual([OLD]);
  expect(readdirSync(root).toSorted()).toEqual(["current", "versions"]);
});

it("a switch puts the new version on trial, and can be done again from wherever it was cut off", async () => {
  mkdirSync(join(root, "versions", NEW));
  // Cut off between its steps.
  symlinkSync("versions/nowhere", join(root, ".current"));
  writeFileSync(join(root, "trial"), "started\nstarted\n");
  await switchVersion(installation(), NEW);
  expect(readlinkSync(join(root, "current"))).toBe(`versions/${NEW}`);
  expect(readlinkSync(join(root, "former"))).toBe(`versions/${OLD}`);
  expect(readFileSync(join(root, "trial"), "utf8")).toBe("");
  expect(await isOnTrial({ root, version: NEW })).toBe(true);
  // It is started where the disk is full, and proves nothing then.
  expect(await isOnTrial(installation())).toBe(false);
});

it("a version that has proven itself is on trial no more", async () => {
  mkdirSync(join(root, "versions", NEW));
  await switchVersion(installation(), NEW);
  const running = { root, version: NEW };
  await confirmVersion(running);
  await confirmVersion(running);
  expect(await isOnTrial(running)).toBe(false);
});

it("the running version and the one before it stay, and older ones make room, also what was left of one", async () => {
  for (const folder of ["0.0.1+333333333333", ".gone", ".upgrade", "0.0.5+444444444444"]) {
    mkdirSync(join(root, "versions", folder, "dist"), { recursive: true });
  }
  symlinkSync("versions/0.0.5+444444444444", join(root, "former"));
  writeFileSync(join(root, "versions/.upgrade.tar"), "half");
  await sweepUpgrades(installation());
  expect(readdirSync(join(root, "versions")).filter((name) => name.startsWith("."))).toEqual([]);
  const archive = await archiveOf(NEW);
  await unpackVersion(installation(), { version: NEW, sha256: sha256(archive) }, inParts(archive));
  expect(readdirSync(join(root, "versions")).toSorted()).toEqual(["0.0.5+444444444444", OLD, NEW].toSorted());
});

it("an agent knows whether it was installed as a bundle", () => {
  expect(findInstallation(join(root, "versions", OLD, "dist/agent.mjs"))).toEqual({ root, version: OLD });
  expect(findInstallation("/opt/svc/dist/agent.mjs")).toBeUndefined();
  expect(findInstallation(join(root, "versions", "latest", "dist/agent.mjs"))).toBeUndefined();
});
