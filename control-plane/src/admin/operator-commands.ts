import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { SvcError } from "@svc/shared/errors.ts";
import { insertAudit } from "../platform/audit.store.ts";
import { openAuthority } from "../fleet/authority/open-authority.ts";
import { withDatabase, type FleetCommandDeps } from "./server-commands.ts";

/** `operator certificate`: what a person needs to read an agent with any gRPC client. */
export function registerOperatorCommands(program: Command, deps: FleetCommandDeps): void {
  const operator = program.command("operator").description("people who read agents with a gRPC client");

  operator
    .command("certificate")
    .description("a client certificate, valid for 30 days")
    .requiredOption("--name <name>", "whose it is")
    .requiredOption("--out <directory>", "where key.pem, certificate.pem and authority.pem are written")
    .action(async ({ name, out }: { name: string; out: string }) => {
      const certificate = await withDatabase(deps, async (db) => {
        const authority = await openAuthority(db, deps.config.dataDir);
        const issued = await authority.issueOperatorCertificate(name);
        await insertAudit(db, {
          actor: "operator",
          action: "operator.certificate",
          target: `operator:${name}`,
          requestId: null,
          detail: { expires_at: issued.notAfter.toISOString() },
        });
        return issued;
      });
      const { keyPem, certificatePem, authorityPem, notAfter } = certificate;
      // Under `npm run` the working directory is the checkout; INIT_CWD is where the person was.
      const directory = resolve(process.env["INIT_CWD"] ?? ".", out);
      const files = {
        key: join(directory, "key.pem"),
        certificate: join(directory, "certificate.pem"),
        authority: join(directory, "authority.pem"),
      };
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await writeNew(files.key, keyPem, 0o600);
      await writeNew(files.certificate, certificatePem, 0o644);
      await writeNew(files.authority, authorityPem, 0o644);
      deps.print({ name, ...files, expires_at: notAfter.toISOString() }, exampleText(files, notAfter));
    });
}

async function writeNew(path: string, content: string, mode: number): Promise<void> {
  await writeFile(path, content, { flag: "wx", mode }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
    throw new SvcError("invalid_request", `${path} exists already: choose another --out, or delete it first.`);
  });
}

function exampleText(files: { key: string; certificate: string; authority: string }, notAfter: Date): string {
  return [
    `Wrote ${files.key}, ${files.certificate} and ${files.authority}, valid until ${notAfter.toISOString()}.`,
    "",
    "With an agent that has SVC_AGENT_LISTEN=0.0.0.0:9443, on its own host:",
    "",
    `  grpcurl -cacert ${files.authority} -cert ${files.certificate} -key ${files.key} \\`,
    "    localhost:9443 svc.agent.v1.AgentService/GetStatus",
  ].join("\n");
}
