import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** A registry on loopback, which every engine asks without TLS. */
export interface RegistryDouble {
  /** Has an image with these files from now on. @returns its name */
  add(repository: string, files: Record<string, string>, config?: object): Promise<string>;
  /** Paths that it was asked for. */
  asked: string[];
  close(): void;
}

const MANIFEST = "application/vnd.docker.distribution.manifest.v2+json";
const ARCHITECTURES: Record<string, string> = { x64: "amd64" };

export async function startRegistry(): Promise<RegistryDouble> {
  const answers = new Map<string, { type: string; body: Buffer }>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    const answer = path === "/v2/" ? { type: "application/json", body: Buffer.from("{}") } : answers.get(path);
    if (answer === undefined) return void response.writeHead(404).end("{}");
    const { type, body } = answer;
    const headers = { "content-type": type, "content-length": body.length, "docker-content-digest": digestOf(body) };
    response.writeHead(200, headers).end(request.method === "HEAD" ? undefined : body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  function blob(repository: string, type: string, body: Buffer): { mediaType: string; size: number; digest: string } {
    const digest = digestOf(body);
    answers.set(`/v2/${repository}/blobs/${digest}`, { type: "application/octet-stream", body });
    return { mediaType: type, size: body.length, digest };
  }

  return {
    asked,
    async add(repository, files, config = {}) {
      const layer = blob(repository, "application/vnd.docker.image.rootfs.diff.tar", await tarOf(files));
      const image = {
        architecture: ARCHITECTURES[process.arch] ?? process.arch,
        os: "linux",
        config,
        rootfs: { type: "layers", diff_ids: [layer.digest] },
        history: [{ created_by: "a test" }],
      };
      const facts = blob(
        repository,
        "application/vnd.docker.container.image.v1+json",
        Buffer.from(JSON.stringify(image)),
      );
      const body = Buffer.from(
        JSON.stringify({ schemaVersion: 2, mediaType: MANIFEST, config: facts, layers: [layer] }),
      );
      for (const reference of ["latest", digestOf(body)])
        answers.set(`/v2/${repository}/manifests/${reference}`, { type: MANIFEST, body });
      return `127.0.0.1:${port}/${repository}:latest`;
    },
    close: () => void server.close(),
  };
}

async function tarOf(files: Record<string, string>): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), "svc-registry-"));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
    const argv = ["--create", "--directory", directory, ...Object.keys(files)];
    return (await promisify(execFile)("tar", argv, { encoding: "buffer" })).stdout;
  } finally {
    await rm(directory, { recursive: true });
  }
}

function digestOf(body: Buffer): string {
  return `sha256:${createHash("sha256").update(body).digest("hex")}`;
}
