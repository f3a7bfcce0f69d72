import { answerOf, done, openService } from "../api/client.ts";
import { CliError, EXIT } from "../cli-error.ts";
import type { Invocation } from "../command.ts";
import { whichApp } from "../project/which-app.ts";

export async function listDomains(invocation: Invocation): Promise<void> {
  const name = await whichApp(invocation);
  const service = await openService(invocation);
  const read = service.rest.GET("/api/apps/{name}/domains", { params: { path: { name } } });
  const { domains } = await answerOf(service, read);
  invocation.terminal.result(domains, domains.length === 0 ? `${name} has no domains of its own.` : domains.join("\n"));
}

/** Attaches a domain; until its ownership is proven, says which record proves it. */
export async function addDomain(invocation: Invocation): Promise<number> {
  const { terminal } = invocation;
  const [domain = ""] = invocation.args;
  const name = await whichApp(invocation);
  const service = await openService(invocation);
  const add = service.rest.POST("/api/apps/{name}/domains", { params: { path: { name } }, body: { domain } });
  try {
    const added = await answerOf(service, add);
    const next = `point its A record at the platform; \`svc domains check ${domain}\` shows when it has its certificate.`;
    terminal.result(added, `${domain} is routed to ${name}. If it is not done yet, ${next}`);
    return EXIT.success;
  } catch (error) {
    if (!(error instanceof CliError) || error.fields["txt_record"] === undefined) throw error;
    const { txt_record: record, txt_value: value } = error.fields;
    terminal.result(
      { error: error.code, detail: error.message, ...error.fields },
      `${error.message}\n\n  ${String(record)}  TXT  "${String(value)}"\n\nThen run the same command again.`,
    );
    return EXIT.failed;
  }
}

export async function checkDomain(invocation: Invocation): Promise<number> {
  const [domain = ""] = invocation.args;
  const name = await whichApp(invocation);
  const service = await openService(invocation);
  const params = { path: { name, domain } };
  const state = await answerOf(service, service.rest.GET("/api/apps/{name}/domains/{domain}", { params }));
  const { status, cert, detail } = state;
  const until = cert ? `, certificate by ${cert.issuer} until ${cert.not_after}` : "";
  invocation.terminal.result(state, `${domain}: ${status}${until}${detail === undefined ? "" : `, ${detail}`}`);
  return status === "active" ? EXIT.success : EXIT.failed;
}

export async function removeDomain(invocation: Invocation): Promise<void> {
  const [domain = ""] = invocation.args;
  const name = await whichApp(invocation);
  const service = await openService(invocation);
  const params = { path: { name, domain } };
  await done(service, service.rest.DELETE("/api/apps/{name}/domains/{domain}", { params }));
  invocation.terminal.result({ removed: domain }, `Removed ${domain} from ${name}.`);
}
