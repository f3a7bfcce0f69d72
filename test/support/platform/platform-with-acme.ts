import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "../tools/free-ports.ts";
import { startPebble, type Pebble } from "../doubles/pebble.ts";
import { startPlatformWithGit, type PlatformWithGit } from "./platform-with-git.ts";
import type { PlatformOptions } from "./platform.ts";

export interface PlatformWithAcme extends PlatformWithGit {
  pebble: Pebble;
}

/**
 * A platform that orders certificates for names that are not internal, from an ACME authority of the test.
 * @param trustedPem authorities that its domain check trusts besides
 */
export async function startPlatformWithAcme(options: PlatformOptions = {}, trustedPem = ""): Promise<PlatformWithAcme> {
  const [http, https] = (await freePorts(2)) as [number, number];
  const pebble = await startPebble({ httpPort: http, httpsPort: https });
  const directory = mkdtempSync(join(tmpdir(), "svc-acme-ca-"));
  const caFile = join(directory, "ca.pem");
  writeFileSync(caFile, [pebble.directoryCaPem, pebble.rootPem, trustedPem].join("\n"));
  const acme = {
    SVC_DNS_SERVERS: pebble.dnsServer,
    SVC_ACME_DIRECTORY: pebble.directory,
    SVC_ACME_CA_FILE: caFile,
  };
  async function end(): Promise<void> {
    await pebble.stop();
    rmSync(directory, { recursive: true, force: true });
  }
  try {
    const setup = await startPlatformWithGit({
      ...options,
      proxyPorts: { http, https },
      controlPlane: { ...acme, ...options.controlPlane },
    });
    return {
      ...setup,
      pebble,
      async stop() {
        await setup.stop();
        await end();
      },
    };
  } catch (error) {
    await end();
    throw error;
  }
}
