import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { BuildRequest, Engine, OwnedApp } from "@svc/agent/ports.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";

export interface OwnerBuild {
  app: OwnedApp;
  deployId: string;
  lines: string[];
  imageDigest: string;
}

export interface OwnerBuilds {
  /** Builds a folder with these files, without git and steps around it. */
  build(app: OwnedApp, files: Record<string, string>, fields?: Partial<BuildRequest>): Promise<OwnerBuild>;
  /** The sentence that a build of this Dockerfile ends with, and all that its owner has read. */
  refusal(
    app: OwnedApp,
    dockerfile: string,
    fields?: Partial<BuildRequest>,
  ): Promise<{ error: SvcError; read: string }>;
  cleanUp(): Promise<void>;
}

export async function createOwnerBuilds(engine: Engine): Promise<OwnerBuilds> {
  const root = await mkdtemp(join(tmpdir(), "svc-owner-builds-"));

  async function build(
    app: OwnedApp,
    files: Record<string, string>,
    fields: Partial<BuildRequest> = {},
    lines: string[] = [],
  ): Promise<OwnerBuild> {
    const [folder, deployId] = [join(root, newId()), newId()];
    const directory = join(folder, "source");
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), text);
    }
    const log = (line: string): void => void lines.push(line);
    const { imageDigest } = await engine.build({
      app,
      deployId,
      directory,
      scratch: join(folder, "build"),
      dockerfile: { path: "Dockerfile" },
      outbound: { allowCidrs: [], caPem: "", dnsServers: [] },
      buildArgs: {},
      output: { log, progress: log },
      signal: AbortSignal.timeout(60_000),
      ...fields,
    });
    return { app, deployId, lines, imageDigest };
  }

  return {
    build,
    async refusal(app, dockerfile, fields) {
      const lines: string[] = [];
      const error = await build(app, { Dockerfile: dockerfile }, fields, lines).then(
        () => new Error(`it was built:\n${lines.join("\n")}`),
        (reason: unknown) => reason,
      );
      if (!(error instanceof SvcError)) throw error;
      return { error, read: [error.message, ...lines].join("\n") };
    },
    cleanUp: () => rm(root, { recursive: true, force: true }),
  };
}
