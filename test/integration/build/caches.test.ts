import { newId } from "@svc/shared/rules/ids.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBuilds, type Builds } from "../../support/engine/builds.ts";
import { newApp } from "../../support/engine/docker.ts";
import { createOwnerBuilds, type OwnerBuild, type OwnerBuilds } from "../../support/engine/owner-builds.ts";

let builds: Builds;
let owners: OwnerBuilds;

beforeAll(async () => {
  builds = await startBuilds();
  owners = await createOwnerBuilds(builds.engineWith());
});
afterAll(async () => {
  await owners?.cleanUp();
  await builds?.cleanUp();
});

/** Reads what the last RUN of the image has written to /x. */
async function written({ imageDigest }: OwnerBuild): Promise<string> {
  const container = await builds.docker.createContainer({
    Image: imageDigest,
    Cmd: ["cat", "/x"],
    Labels: { "svc.server": builds.serverId },
  });
  await container.start();
  await container.wait();
  const logs = await container.logs({ stdout: true });
  await container.remove();
  return logs.subarray(8).toString().trim();
}

const STAGES = [
  ["a stage from an image", ["FROM debian:bookworm-slim", "RUN date +%s%N > /x"]],
  ["a stage from another stage", ["FROM debian:bookworm-slim AS a", "WORKDIR /w", "FROM a", "RUN date +%s%N > /x"]],
  [
    "a stage from nothing",
    [
      "FROM scratch AS a",
      "COPY --from=debian:bookworm-slim / /",
      "RUN date +%s%N > /x",
      "FROM scratch",
      "COPY --from=a / /",
    ],
  ],
  [
    "a stage whose files are mounted into another",
    [
      "FROM debian:bookworm-slim AS a",
      "RUN date +%s%N > /y",
      "FROM debian:bookworm-slim",
      "RUN --mount=from=a,target=/a cp /a/y /x",
    ],
  ],
] as const;

describe("what one owner's build has made is used for no other owner", () => {
  it.each(STAGES)("for %s, and is for the same owner's other apps", async (_what, lines) => {
    const [mine, theirs] = [newApp("mine"), newApp("theirs")];
    const alsoMine = { ...newApp("also-mine"), ownerId: mine.ownerId };
    const files = { Dockerfile: [`# ${newId()}`, ...lines, ""].join("\n").replaceAll("date", `: ${newId()}; date`) };
    const first = await written(await owners.build(mine, files));
    expect(first).toMatch(/^\d{15,}$/);
    expect(await written(await owners.build(theirs, files))).not.toBe(first);
    expect(await written(await owners.build(alsoMine, files))).toBe(first);
  });

  it("though its cache mount was poisoned", async () => {
    const [mine, theirs] = [newApp("mine"), newApp("theirs")];
    const alsoMine = { ...newApp("also-mine"), ownerId: mine.ownerId };
    const mount = (id: string, command: string): Record<string, string> => ({
      Dockerfile: `FROM debian:bookworm-slim\nRUN --mount=type=cache,id=${id},target=/root/.npm : ${newId()}; ${command} > /x\n`,
    });
    const other = builds.names.cacheNamespaceOf(theirs.ownerId);
    await owners.build(theirs, mount("npm", "echo mine > /root/.npm/p; cat /root/.npm/p"));
    // Not even with the name of the other's folder in hand.
    for (const id of ["npm", `../${other}/npm`, `/${other}/npm`, `${other}/npm`]) {
      const build = await owners.build(mine, mount(id, "ls -A /root/.npm"));
      expect(await written(build)).toBe("");
    }
    await owners.build(mine, mount("npm", "echo poison > /root/.npm/p; cat /root/.npm/p"));
    expect(await written(await owners.build(theirs, mount("npm", "cat /root/.npm/p")))).toBe("mine");
    expect(await written(await owners.build(alsoMine, mount("npm", "cat /root/.npm/p")))).toBe("poison");
  });

  it("and the owner's layer changes nothing of the image and shows in no output", async () => {
    const app = newApp();
    const { imageDigest, lines } = await owners.build(app, {
      Dockerfile: `FROM debian:bookworm-slim\nRUN : ${newId()}; stat -c '%a %u:%g' / && ls -A /\n`,
    });
    const names = lines.flatMap((line) => /^#\d+ ([\w.-]+)$/.exec(line)?.[1] ?? []);
    expect(lines.join("\n")).toContain(" 755 0:0");
    expect(names).not.toContain(builds.names.saltOf(app.ownerId));
    expect(lines.join("\n")).not.toContain(builds.names.saltOf(app.ownerId));
    const { RootFS: layers } = await builds.docker.getImage(imageDigest).inspect();
    const { RootFS: base } = await builds.docker.getImage("debian:bookworm-slim").inspect();
    expect(layers.Layers?.length).toBe((base.Layers?.length ?? 0) + 2);
  });
});
