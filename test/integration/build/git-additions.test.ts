import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createHost } from "@svc/agent/host/host.ts";
import type { Host } from "@svc/agent/ports.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startBuilds, type Builds } from "../../support/engine/builds.ts";
import { makeServerCertificates } from "../../support/doubles/certificates.ts";
import { newApp } from "../../support/engine/docker.ts";
import { startGitHost, type GitHost, type TestRepository } from "../../support/doubles/git-host.ts";
import { createOwnerBuilds, type OwnerBuilds } from "../../support/engine/owner-builds.ts";

const owner = newApp();
const from = (...lines: string[]): string => ["FROM debian:bookworm-slim", ...lines, "RUN cat /m*", ""].join("\n");
const portOf = (server: Pick<Server, "address">): number => (server.address() as AddressInfo).port;

describe("an ADD of a git repository", () => {
  let builds: Builds;
  let owners: OwnerBuilds;
  let git: GitHost;
  let repository: TestRepository;
  let sha: string;
  let outbound: { allowCidrs: string[]; caPem: string; dnsServers: string[] };

  beforeAll(async () => {
    builds = await startBuilds();
    owners = await createOwnerBuilds(builds.engineWith());
    git = await startGitHost();
    outbound = { allowCidrs: ["127.0.0.1/32"], caPem: git.caPem, dnsServers: [] };
    repository = await git.repository("tool", {
      "README.md": "readme of main\n",
      "docs/en/guide.md": "guide of main\n",
      "docs/link": { symlink: "../README.md" },
      out: { symlink: "../../../../../../.." },
    });
    await repository.git("update-index", "--chmod=+x", "README.md");
    await repository.git("commit", "--quiet", "--message=mode");
    await repository.setBranch("main", "HEAD");
    await repository.tag("v1", { annotated: true });
    await repository.commit(
      { "README.md": "readme of next\n", "docs/en/guide.md": "guide of next\n" },
      { branch: "next" },
    );
    sha = await repository.git("rev-parse", "HEAD");
  });
  afterAll(async () => {
    await git?.close();
    await owners?.cleanUp();
    await builds?.cleanUp();
  });

  const refusal = async (source: string): Promise<string> => {
    const { error } = await owners.refusal(owner, from(`ADD ${source} /m`), { outbound });
    expect(error.code).toBe("build_failed");
    return error.message;
  };

  it("adds what it contains, without .git, and says which commit that is", async () => {
    const { lines } = await owners.build(
      owner,
      {
        Dockerfile: [
          "FROM debian:bookworm-slim",
          `ADD ${repository.url} /whole`,
          "WORKDIR /w",
          `ADD --chown=7:8 own.txt ${repository.url}#v1 both/`,
          `RUN : ${newId()}; stat -c '%n %a %u:%g' /whole /whole/* /whole/docs/en/guide.md both/* && ls -A /whole && readlink /whole/docs/link`,
          "",
        ].join("\n"),
        "own.txt": "own",
      },
      { outbound },
    );
    const text = lines.join("\n");
    for (const line of [
      "/whole 755 0:0",
      "/whole/README.md 755 0:0",
      "/whole/docs 755 0:0",
      "/whole/docs/en/guide.md 644 0:0",
      "both/README.md 755 7:8",
      "both/own.txt 644 7:8",
      "../README.md",
    ])
      expect(text).toMatch(new RegExp(` ${line.replaceAll(".", "\\.")}$`, "m"));
    expect(text).not.toContain(".git\n");
    expect(lines).toContain(`Fetched the default branch of ${repository.url} for ADD: ${sha}`);
    expect(lines).toContain(`Fetched v1 of ${repository.url} for ADD: ${sha}`);
    expect(text).toContain(`ADD ${repository.url} /whole`);
    expect(text).not.toMatch(/svc\/|svc-owner/);
  });

  it("adds the ref and the folder that stand behind the #", async () => {
    const { lines } = await owners.build(
      owner,
      {
        Dockerfile: [
          "FROM debian:bookworm-slim",
          `ARG REF=next`,
          `ADD ${repository.url}#$REF:docs/en /ref`,
          `ADD ${repository.url}#:docs/en /default`,
          `ADD ${repository.url}#${sha} /sha`,
          `RUN : ${newId()}; grep -r . /ref /default /sha/README.md; ls -A /ref /default`,
          "",
        ].join("\n"),
      },
      { outbound },
    );
    const found = lines.flatMap((line) => /^#\d+ (\/.*)$/.exec(line)?.[1] ?? []);
    expect(found.toSorted()).toEqual([
      "/default/guide.md:guide of main",
      "/default:",
      "/ref/guide.md:guide of next",
      "/ref:",
      "/sha/README.md:readme of main",
    ]);
  });

  it("leaves no image of what was fetched, and the next build has it from the cache until the branch moves on", async () => {
    const moving = await git.repository("moving", { a: "1\n" });
    const files = { Dockerfile: from(`ADD ${moving.url} /m`, `RUN : ${newId()}`).replace("/m*", "/m/a") };
    const isCached = ({ lines }: { lines: string[] }): boolean => {
      const number = lines.find((line) => line.includes("ADD http"))?.split(" ")[0];
      return lines.includes(`${number} CACHED`);
    };
    expect(isCached(await owners.build(owner, files, { outbound }))).toBe(false);
    expect(isCached(await owners.build(owner, files, { outbound }))).toBe(true);
    await moving.commit({ a: "2\n" });
    const moved = await owners.build(owner, files, { outbound });
    expect(isCached(moved)).toBe(false);
    expect(moved.lines.join("\n")).toMatch(/^#\d+ 2$/m);
    const filters = { label: [`svc.server=${builds.serverId}`, "svc.fetched=1"] };
    expect(await builds.docker.listImages({ filters })).toEqual([]);
  });

  it("reaches public addresses only, and is refused with the sentence that clones get", async () => {
    const url = `https://127.0.0.2:${git.port}/tool.git`;
    expect(await refusal(url)).toBe(
      `Line 2 of the Dockerfile, ADD: ${url} cannot be fetched. ` +
        "The repository's host 127.0.0.2 is loopback; repositories are only fetched from public addresses. " +
        "Whoever runs this service can allow others with SVC_OUTBOUND_ALLOW.",
    );
  });

  it("follows no redirect, wherever that leads", async () => {
    let asked = 0;
    const privateHost = createServer((_request, response) => {
      asked += 1;
      response.end();
    }).listen(0, "127.0.0.2");
    const { cert, key, caPem } = makeServerCertificates(["localhost"], "authority of a redirect");
    const redirect = createTlsServer({ cert, key }, (request, response) => {
      response.writeHead(302, { location: `http://127.0.0.2:${portOf(privateHost)}${request.url}` }).end();
    }).listen(0, "127.0.0.1");
    onTestFinished(() => {
      privateHost.close();
      redirect.close();
    });
    await Promise.all([once(privateHost, "listening"), once(redirect, "listening")]);
    const dockerfile = from(`ADD https://localhost:${portOf(redirect)}/b.git /m`);
    const fields = { outbound: { allowCidrs: ["127.0.0.1/32"], caPem, dnsServers: [] } };
    const { error } = await owners.refusal(owner, dockerfile, fields);
    expect(error.message).toMatch(/^Line 2 of the Dockerfile, ADD: .* redirects are not followed\. /);
    expect(asked).toBe(0);
  });

  it("is refused when the repository, its ref or its folder is not there, or it asks for a login", async () => {
    expect(await refusal(git.urlOf("missing"))).toMatch(/ADD: .* There is no git repository at .*\/missing\.git\./);
    expect(await refusal(git.urlOf("tool", "needs-password"))).toMatch(/cannot be read without a login/);
    expect(await refusal(`${repository.url}#nowhere`)).toMatch(/has no branch, tag or commit nowhere\./);
    expect(await refusal(`${repository.url}#v1:nowhere`)).toMatch(/It has no folder nowhere inside it\./);
    expect(await refusal(`${repository.url}#v1:README.md`)).toMatch(/It has no folder README\.md inside it\./);
    expect(await refusal(`${repository.url}#v1:out/etc`)).toMatch(/It has no folder out\/etc inside it\./);
  });

  it("ends with the step", async () => {
    const controller = new AbortController();
    const lines: string[] = [];
    const ended = new SvcError("build_timed_out", "The step has ended.");
    const output = {
      log: () => {},
      progress: (line: string) => {
        lines.push(line);
        if (line.startsWith("fetching")) controller.abort(ended);
      },
    };
    const dockerfile = from(`ADD ${git.urlOf("tool", "never-answers")} /m`);
    const fields = { outbound, output, signal: controller.signal };
    await expect(owners.build(owner, { Dockerfile: dockerfile }, fields)).rejects.toBe(ended);
    expect(lines.some((line) => line.startsWith("fetching"))).toBe(true);
  });

  it("ends when the disk runs short meanwhile", async () => {
    const host = createHost();
    let isShort = false;
    const disk: Host["disk"] = async (path) => ({ ...(await host.disk(path)), ...(isShort && { availableBytes: 0 }) });
    const short = await createOwnerBuilds(builds.engineWith({ host: { ...host, disk } }));
    const progress = (line: string): void => void (isShort ||= line.startsWith("fetching"));
    const dockerfile = from(`ADD ${git.urlOf("tool", "never-answers")} /m`);
    const { error } = await short.refusal(owner, dockerfile, { outbound, output: { log: () => {}, progress } });
    expect(error.code).toBe("disk_full");
    await short.cleanUp();
  });
});
