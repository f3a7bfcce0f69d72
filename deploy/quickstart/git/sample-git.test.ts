import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readInstallation } from "../installation.ts";
import { remember } from "../memory.ts";
import { prepareSampleGit } from "./sample-git.ts";

test("the repositories keep their port, and who has taken it is named", async () => {
  const directory = mkdtempSync(join(tmpdir(), "svc-sample-git-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const taken = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void taken.close());
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  const installation = readInstallation({ SVC_DATA_DIR: directory });
  remember(installation, { gitPort: port });
  await expect(prepareSampleGit(installation)).rejects.toThrow(new RegExp(`Port ${port}[^]*process ${process.pid}`));
});
