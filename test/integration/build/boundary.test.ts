import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import type { OwnedApp } from "@svc/agent/ports.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBuilds, type Builds } from "../../support/engine/builds.ts";
import { newApp } from "../../support/engine/docker.ts";
import { createOwnerBuilds, type OwnerBuild, type OwnerBuilds } from "../../support/engine/owner-builds.ts";

const SECRET = `victims-source-${newId()}`;
const SHOW = "RUN cat /secret; cat /v/secret; find / -xdev -name secret -exec cat {} +";

let builds: Builds;
let owners: OwnerBuilds;
let victim: OwnerBuild;
let attacker: OwnedApp;
/** The ids that an attacker knows of the victim: ids are no secret. */
let id: { app: string; deploy: string; digest: string; repository: string };

beforeAll(async () => {
  builds = await startBuilds();
  const engine = builds.engineWith();
  owners = await createOwnerBuilds(engine);
  attacker = newApp("attacker");
  victim = await owners.build(newApp("victim"), {
    Dockerfile: "FROM debian:bookworm-slim\nCOPY secret /secret\n",
    secret: SECRET,
  });
  await engine.tagImage(victim.imageDigest, victim.app, "previous");
  id = {
    app: victim.app.id,
    deploy: victim.deployId,
    digest: victim.imageDigest,
    repository: builds.names.repositoryOf(victim.app.id),
  };
});
afterAll(async () => {
  await owners?.cleanUp();
  await builds?.cleanUp();
});

type Attack = [what: string, dockerfile: () => string];

const ATTACKS: Attack[] = [
  ["FROM by the app's id", () => `FROM svc/${id.app}:previous\n${SHOW}\n`],
  ["FROM by the deploy's id", () => `FROM svc/${id.app}:${id.deploy}\n${SHOW}\n`],
  ["FROM with the registry's name", () => `FROM docker.io/svc/${id.app}:previous\n${SHOW}\n`],
  ["FROM with the registry's other name", () => `FROM index.docker.io/svc/${id.app}:previous\n${SHOW}\n`],
  ["FROM by the name that the image has, were it known", () => `FROM ${id.repository}:previous\n${SHOW}\n`],
  ["FROM with a digest", () => `FROM ${id.repository}@${id.digest}\n${SHOW}\n`],
  ["FROM with a tag and a digest", () => `FROM ${id.repository}:previous@${id.digest}\n${SHOW}\n`],
  ["FROM by the image's id", () => `FROM ${id.digest}\n${SHOW}\n`],
  ["FROM by the image's id without its kind", () => `FROM ${id.digest.slice(7)}\n${SHOW}\n`],
  ["FROM by the image's short id", () => `FROM ${id.digest.slice(7, 19)}\n${SHOW}\n`],
  ["COPY --from", () => `FROM debian:bookworm-slim\nCOPY --from=${id.repository}:previous /secret /\n${SHOW}\n`],
  [
    "COPY --from with quotes and backslashes",
    () => `FROM debian:bookworm-slim\nCOPY --"from"=svc/\\${id.app}:previous /secret /\n${SHOW}\n`,
  ],
  [
    'COPY --from="…" in parts',
    () => `FROM debian:bookworm-slim\nCOPY --fr"om=${id.repository}":'previous' /secret /\n${SHOW}\n`,
  ],
  [
    "COPY as an array",
    () => `FROM debian:bookworm-slim\nCOPY --from=${id.repository}:previous ["/secret", "/"]\n${SHOW}\n`,
  ],
  [
    "RUN --mount",
    () =>
      `FROM debian:bookworm-slim\nRUN --mount=type=bind,from=docker.io/${id.repository}:previous,target=/v cat /v/secret\n`,
  ],
  [
    "RUN --mount with its key in capitals",
    () => `FROM debian:bookworm-slim\nRUN --mount=target=/v,FROM=${id.repository}:previous cat /v/secret\n`,
  ],
  [
    "RUN --mount as quoted values",
    () => `FROM debian:bookworm-slim\nRUN --mount=target=/v,\\"from=${id.repository}:previous\\" cat /v/secret\n`,
  ],
  [
    "a cache mount that starts from it",
    () => `FROM debian:bookworm-slim\nRUN --mount=type=cache,target=/v,from=${id.repository}:previous cat /v/secret\n`,
  ],
  ["an argument", () => `ARG BASE=svc/${id.app}\nFROM \${BASE}:previous\n${SHOW}\n`],
  ["an argument's default", () => `FROM \${BASE:-${id.repository}}:previous\n${SHOW}\n`],
  ["an argument's alternative", () => `ARG A=1\nARG B=\${A:+${id.repository}}\nFROM "$B:prev"ious\n${SHOW}\n`],
  ["an argument that the platform hands in", () => `ARG VITE_BASE\nFROM $VITE_BASE\n${SHOW}\n`],
  [
    "a trigger for a later stage",
    () => `FROM debian:bookworm-slim AS a\nONBUILD COPY --from=${id.repository}:previous /secret /\nFROM a\n${SHOW}\n`,
  ],
  [
    "a trigger with a mount",
    () =>
      `FROM debian:bookworm-slim AS a\nONBUILD RUN --mount=from=${id.repository}:previous,target=/v cat /v/secret\nFROM a\n`,
  ],
  ["a continued line", () => `FR\\\nOM \\\n# a comment\n\n  svc/${id.app}:previ\\  \nous\n${SHOW}\n`],
  ["lower case, tabs and carriage returns", () => `\uFEFF\tfrom\tsvc/${id.app}:previous\r\n${SHOW}\r\n`],
  ["another escape", () => `# escape=\`\nFROM \`\nsvc/${id.app}:previous\n${SHOW}\n`],
  [
    "the lines of a heredoc",
    () => `FROM debian:bookworm-slim\nRUN <<EOF\nFROM ${id.repository}:previous\n${SHOW}\nEOF\n`,
  ],
  [
    "a line that one reader continues and another does not",
    () => `FROM debian:bookworm-slim\nRUN true \\\\\nFROM ${id.repository}:previous\n${SHOW}\n`,
  ],
  [
    "a stage that comes to nothing",
    () => `FROM ${id.repository}:previous AS unused\nFROM debian:bookworm-slim\nRUN true\n`,
  ],
  ["another platform", () => `FROM --platform=linux/s390x ${id.repository}:previous\n${SHOW}\n`],
  ["another platform of a usual image", () => `FROM --platform=linux/s390x debian:bookworm-slim\n${SHOW}\n`],
  ["a front end", () => `# syntax=${id.repository}:previous\nFROM debian:bookworm-slim\n`],
  ["a front end of anybody", () => "#syntax = docker.io/attacker/llb:1\nFROM debian:bookworm-slim\n"],
  [
    "a front end that calls itself official",
    () => "# syntax=127.0.0.1:5000/docker/dockerfile:1\nFROM debian:bookworm-slim\n",
  ],
  [
    "the official front end of another major version",
    () => "# syntax=docker/dockerfile:2\nFROM debian:bookworm-slim\n",
  ],
  ["a front end below a comment of another language", () => "//syntax=attacker/llb:1\nFROM debian:bookworm-slim\n"],
  ["a registry on the host", () => "FROM 127.0.0.1:5000/x\n"],
  ["a registry on the host, by name", () => "FROM localhost:5000/x\n"],
  ["a registry on the host, by its IPv6 address", () => "FROM [::1]:5000/x\n"],
  [
    "a registry at the address of the cloud's metadata",
    () => "FROM debian:bookworm-slim\nCOPY --from=169.254.169.254/x / /\n",
  ],
  ["the host's network", () => "FROM debian:bookworm-slim\nRUN --network=host true\n"],
  ["the host's rights", () => "FROM debian:bookworm-slim\nRUN --security=insecure true\n"],
  ["a variable where BuildKit replaces none", () => "FROM debian:bookworm-slim\nARG X=svc\nCOPY --from=$X /a /\n"],
];

describe("what is another owner's cannot be named by a build", () => {
  it.each(ATTACKS)("by %s", async (_what, dockerfile) => {
    const buildArgs = { VITE_BASE: `${id.repository}:previous` };
    const { error, read } = await owners.refusal(attacker, dockerfile(), { buildArgs });
    expect(["build_failed", "base_image_unavailable"]).toContain(error.code);
    expect(error.message).toMatch(/^(?:Line \d+ of the Dockerfile, .+: .+|The image .+ could not be fetched\..+)\.?$/s);
    expect(read).not.toContain(SECRET);
    expect(read).not.toMatch(/#\d+ .*(?:DONE|CACHED)/);
  });

  it("says the same of an app that there is and of one that there is not", async () => {
    const messages = await Promise.all(
      [id.app, newId()].map(async (app) => {
        const { error } = await owners.refusal(attacker, `FROM svc/${app}:previous\n`);
        return error.message.replaceAll(app, "…");
      }),
    );
    expect(new Set(messages).size).toBe(1);
  });

  it("even by another name that the operator has given to an image of an app", async () => {
    const repo = `operators-${newId()}`;
    await builds.docker.getImage(id.digest).tag({ repo, tag: "1" });
    try {
      const { error, read } = await owners.refusal(attacker, `FROM ${repo}:1\n${SHOW}\n`);
      const { error: other } = await owners.refusal(attacker, `FROM ${repo}:2\n`);
      expect(read).not.toContain(SECRET);
      expect(error.message.replace(":1 ", ":2 ")).toBe(other.message);
    } finally {
      await builds.docker.getImage(`${repo}:1`).remove();
    }
  });

  it("by the engine either, for the names that can be guessed lead to nothing", async () => {
    for (const name of [`svc/${id.app}:previous`, `svc/${id.app}:${id.deploy}`]) {
      await expect(builds.docker.getImage(name).inspect()).rejects.toMatchObject({ statusCode: 404 });
    }
    expect((await builds.docker.getImage(`${id.repository}:previous`).inspect()).Id).toBe(id.digest);
  });
});

it.each(["ADD http://127.0.0.1:9180/metrics /", "RUN echo somebody", "COPY --from=node:22-slim / /"])(
  "an image whose trigger is %j is not built from",
  async (trigger) => {
    const repo = `triggers-${newId()}`;
    const container = await builds.docker.createContainer({ Image: "debian:bookworm-slim" });
    await container.commit({ repo, tag: "1", changes: `ONBUILD ${trigger}` });
    await container.remove();
    try {
      const { error } = await owners.refusal(attacker, `FROM ${repo}:1\n`);
      expect(error.message).toMatch(/Line 1 of the Dockerfile, FROM: the image .* has the trigger ONBUILD/);
    } finally {
      await builds.docker.getImage(`${repo}:1`).remove();
    }
  },
);

it("a registry on the host is never asked, whatever names it", async () => {
  let calls = 0;
  const registry = createServer(() => (calls += 1)).listen(0, "0.0.0.0");
  await once(registry, "listening");
  const { port } = registry.address() as AddressInfo;
  try {
    for (const host of ["127.0.0.1", "localhost", "a.localhost", "[::1]", "127.0.0.2", "0.0.0.0"]) {
      for (const text of [`FROM ${host}:${port}/a`, `FROM debian:bookworm-slim\nCOPY --from=${host}:${port}/a / /`]) {
        const { error } = await owners.refusal(attacker, `${text}\n`);
        expect(error.message).toMatch(
          /cannot be fetched\. .* is (?:loopback|unspecified); only public addresses are reached/,
        );
      }
    }
    expect(calls).toBe(0);
  } finally {
    registry.close();
  }
});

it("images that have names of before get new ones with the same tags, and lose the old", async () => {
  const image = builds.docker.getImage(id.digest);
  await image.tag({ repo: `svc/${id.app}`, tag: "of-before" });
  const again = builds.engineWith();
  const fresh = await createOwnerBuilds(again);
  await fresh.build(attacker, { Dockerfile: "FROM scratch\nCOPY a /\n", a: "" });
  await fresh.cleanUp();
  const { RepoTags: names } = await image.inspect();
  expect(names.toSorted()).toEqual(
    ["of-before", "previous", id.deploy].map((tag) => `${id.repository}:${tag}`).toSorted(),
  );
});
