import { answerOf, openService } from "../../api/client.ts";
import type { Invocation } from "../../command-line/command.ts";
import { textTable } from "@svc/shared/platform/text-table.ts";

/** The person that the service takes the caller for, and what the key may do. */
export async function whoami(invocation: Invocation): Promise<void> {
  const service = await openService(invocation);
  const me = await answerOf(service, service.rest.GET("/api/me"));
  const { user, key, teams } = me;
  const { url } = service.access;
  const lines = [
    `${user.email} at ${url}`,
    ...teams.map(({ name, role }) => `${role} of the team ${name}`),
    ...(user.email_verified ? [] : ["The address is not verified: until then nothing can be changed."]),
    ...(key?.scopes ? [`The key is limited to the scopes ${key.scopes.join(", ")}.`] : []),
    ...(key?.apps ? [`The key is limited to the apps ${key.apps.join(", ")}.`] : []),
  ];
  invocation.terminal.result({ url, ...me }, lines.join("\n"));
}

/** Lists the teams that the key acts in. */
export async function teams(invocation: Invocation): Promise<void> {
  const service = await openService(invocation);
  const { teams: own } = await answerOf(service, service.rest.GET("/api/teams"));
  const rows = own.map(({ id, name, role, tier }) => [name, role, tier, id]);
  invocation.terminal.result(own, textTable([["NAME", "ROLE", "TIER", "ID"], ...rows]));
}
