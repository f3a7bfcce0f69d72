import { newId } from "@svc/shared/rules/ids.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBuilds, type Builds } from "../../support/engine/builds.ts";
import { newApp } from "../../support/engine/docker.ts";
import { createOwnerBuilds, type OwnerBuilds } from "../../support/engine/owner-builds.ts";

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

/** Returns the output of the build's RUN instructions. */
async function said(dockerfile: string, files: Record<string, string> = {}): Promise<string[]> {
  const { lines } = await owners.build(newApp(), { Dockerfile: dockerfile, ...files });
  return lines.flatMap((line) => /^#\d+ say (.*)$/.exec(line)?.[1] ?? []);
}

describe("an ordinary Dockerfile builds as it always has", () => {
  it("with the official syntax, stages by name and number, arguments and another platform's name for this one", async () => {
    const text = `# syntax=docker/dockerfile:1
      ARG VERSION=bookworm
      FROM --platform=$BUILDPLATFORM debian:\${VERSION}-slim AS Base
      ARG VERSION
      RUN echo say $VERSION; echo a > /a
      FROM base
      COPY --from=0 /a /b
      COPY --from=BASE /a /c
      COPY --from=debian:bookworm-slim /etc/debian_version /d
      RUN --mount=type=bind,from=base,source=/a,target=/m --mount=type=cache,target=/cache --mount=type=tmpfs,target=/t \\
        # a comment within

        echo say $(cat /a /b /c /m) $(test -s /d && echo d) $(ls -d /cache /t)
      FROM scratch
      COPY --from=1 / /
      RUN echo say last`;
    expect(await said(text)).toEqual(["bookworm", "a a a a d /cache /t", "last"]);
  });

  it("with arrays, shells, labels, old forms, triggers, health checks and another escape", async () => {
    const app = newApp();
    const { imageDigest, lines } = await owners.build(app, {
      Dockerfile: [
        "# escape=`",
        "FROM debian:bookworm-slim AS a",
        "ONBUILD COPY file /from-trigger",
        "ONBUILD ENV TRIGGERED=yes",
        "FROM a",
        'SHELL ["/bin/bash", "-c"]',
        "ENV OLD one two  three",
        `ENV NEW="a b" OTHER=c\` d`,
        `LABEL quoted="say \\"x\\"" plain=y "spaced key"='v w'`,
        'HEALTHCHECK --interval=7s CMD ["true"]',
        'RUN ["/bin/echo", "say", "array"]',
        "RUN echo say $TRIGGERED $OLD, $NEW, $OTHER `",
        "  $BASH_VERSION | cut -c1-40; cat /from-trigger",
        "WORKDIR /w",
        'COPY ["file", "with space", "/w/"]',
        "ADD . /all/",
        "RUN echo say $(ls) / $(ls /all)",
        "USER 1000:1000",
        "EXPOSE 80/tcp 81/udp",
        "VOLUME /data",
        "STOPSIGNAL SIGINT",
        'ENTRYPOINT ["/bin/sh"]',
        'CMD ["-c", "exit 3"]',
        "MAINTAINER somebody",
      ].join("\r\n"),
      file: "say file\n",
      "with space": "",
    });
    const texts = lines.flatMap((line) => /^#\d+ say (.*)$/.exec(line)?.[1] ?? []);
    expect(texts[0]).toBe("array");
    expect(texts[1]).toMatch(/^yes one two three, a b, c d 5\.\d/);
    expect(texts.slice(2)).toEqual(["file", "file with space / Dockerfile file with space"]);
    const { Config: config } = await builds.docker.getImage(imageDigest).inspect();
    expect(config).toMatchObject({
      User: "1000:1000",
      Cmd: ["-c", "exit 3"],
      Entrypoint: ["/bin/sh"],
      StopSignal: "SIGINT",
      ExposedPorts: { "80/tcp": {}, "81/udp": {} },
      Labels: { plain: "y", "spaced key": "v w", "svc.app": app.id },
    });
    expect(config.Env).toContain("NEW=a b");
    expect(config.Healthcheck?.Interval).toBe(7e9);
  });

  it("and its owner reads its own steps, with the numbers that they would have", async () => {
    const run = `RUN : ${newId()}`;
    const { lines } = await owners.build(newApp(), {
      Dockerfile: `FROM debian:bookworm-slim AS one\n${run}\nFROM scratch\nCOPY --from=0 /etc/hostname /h\n`,
    });
    const steps = lines.flatMap((line) => /^#\d+ (\[.*)$/.exec(line)?.[1] ?? []);
    expect(steps).toEqual(expect.arrayContaining([`[one 2/2] ${run}`, "[stage-1 1/1] COPY --from=0 /etc/hostname /h"]));
    expect(steps.length).toBeLessThanOrEqual(3);
    expect(lines.join("\n")).not.toMatch(/svc-owner|svc\/|naming to/);
  });

  it("and a mistake in it is told with its own line", async () => {
    const { error } = await owners.refusal(
      newApp(),
      "FROM debian:bookworm-slim\n\n# c\nRUN true \\\n  && true\n\nWORKDIR\n",
    );
    expect(error.message).toMatch(/line 7/i);
  });
});
