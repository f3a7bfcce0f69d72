import { once } from "node:events";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createDummyGit } from "../../dummy/git.ts";
import { fetchAdditions } from "./fetch-additions.ts";

async function fetchFrom(answer: Parameters<typeof createServer>[1], directory: string): Promise<unknown> {
  const server = createServer(answer as () => void).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/a`);
  const instruction = { line: 2, name: "ADD", flags: [], rest: "", heredocs: [], shown: "" };
  return fetchAdditions([{ kind: "file", instruction, url, sha256: undefined }], {
    git: createDummyGit(),
    directory,
    outbound: { allowCidrs: ["127.0.0.0/8"], caPem: "", dnsServers: [] },
    output: { log: () => {}, progress: () => {} },
    signal: AbortSignal.timeout(10_000),
  });
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "svc-fetch-"));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

test("a disk that is full while an ADD is fetched is told as such, not as the network's failure", async () => {
  const directory = await folder();
  await symlink("/dev/full", join(directory, "0"));
  const fetching = fetchFrom((_request, response) => void response.end("a"), directory);
  await expect(fetching).rejects.toMatchObject({ code: "disk_full", message: expect.stringMatching(/Free space/) });
});

test("an answer that ends early is told with the line of the ADD", async () => {
  const fetching = fetchFrom(
    (_request, response) => {
      response.writeHead(200, { "content-length": "10" }).write("a", () => response.destroy());
    },
    await folder(),
  );
  await expect(fetching).rejects.toMatchObject({
    code: "build_failed",
    message: expect.stringMatching(/^Line 2 of the Dockerfile, ADD: .* cannot be fetched\. The /),
  });
});
