import { answerOf, done } from "../api/client.ts";
import { domainsOf } from "../api/domains.ts";
import { EXIT } from "../output/cli-error.ts";
import type { Invocation } from "../command-line/command.ts";
import { openApp } from "../project/which-app.ts";

export async function listDomains(invocation: Invocation): Promise<void> {
  const { name, service } = await openApp(invocation);
  const domains = await domainsOf(service, name);
  invocation.terminal.result(domains, domains.length === 0 ? `${name} has no domains of its own.` : domains.join("\n"));
}

export async function checkDomain(invocation: Invocation): Promise<number> {
  const [domain = ""] = invocation.args;
  const { name, service } = await openApp(invocation);
  const params = { path: { name, domain } };
  const state = await answerOf(service, service.rest.GET("/api/apps/{name}/domains/{domain}", { params }));
  const { status, cert, detail } = state;
  const until = cert ? `, certificate by ${cert.issuer} until ${cert.not_after}` : "";
  invocation.terminal.result(state, `${domain}: ${status}${until}${detail === undefined ? "" : `, ${detail}`}`);
  return status === "active" ? EXIT.success : EXIT.failed;
}

export async function removeDomain(invocation: Invocation): Promise<void> {
  const [domain = ""] = invocation.args;
  const { name, service } = await openApp(invocation);
  const params = { path: { name, domain } };
  await done(service, service.rest.DELETE("/api/apps/{name}/domains/{domain}", { params }));
  invocation.terminal.result({ removed: domain }, `Removed ${domain} from ${name}.`);
}
