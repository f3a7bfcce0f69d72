/** The sample repositories over HTTPS, as a process of its own, so that it can outlive the quickstart (--detach). */
import { join } from "node:path";
import { createLogger } from "@svc/shared/platform/logger.ts";
import { ensureGitCertificate, readGitTls } from "./git-certificate.ts";
import { startGitServer } from "./git-server.ts";
import { readInstallation } from "../installation.ts";
import { readMemory } from "../memory.ts";
import { repositoriesFolder } from "./sample-git.ts";

const log = createLogger({ name: "git-server" });
const directory = process.argv[2] ?? "";
// SVC_DATA_DIR names the quickstart's own folder here; the installation's is one up.
const installation = readInstallation({ SVC_DATA_DIR: join(directory, "..") });
const { gitPort } = readMemory(installation);
if (gitPort === undefined) throw new Error("the quickstart has chosen no port");

const server = await startGitServer({
  root: repositoriesFolder(installation),
  port: gitPort,
  tls: readGitTls(ensureGitCertificate(directory)),
});
log.info({ url: server.url }, "serving the sample repositories");

process.once("SIGTERM", () => {
  void server.close().then(() => process.exit(0));
});
