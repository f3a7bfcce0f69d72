import { REPLICAS } from "@svc/shared/spec/resources.ts";
import { answerOf, openService } from "../api/client.ts";
import { wrongUse } from "../output/cli-error.ts";
import type { Invocation } from "../command-line/command.ts";

/** Has so many copies of the app run, at once and after each further deploy. */
export async function scale(invocation: Invocation): Promise<void> {
  const [name = "", text = ""] = invocation.args;
  const replicas = /^[0-9]{1,3}$/.test(text) ? Number(text) : 0;
  if (replicas < REPLICAS.min || replicas > REPLICAS.max) {
    throw wrongUse(`${JSON.stringify(text)} is no number of copies: give one from ${REPLICAS.min} to ${REPLICAS.max}.`);
  }
  const service = await openService(invocation);
  const params = { path: { name } };
  const { app } = await answerOf(service, service.rest.PATCH("/api/apps/{name}", { params, body: { replicas } }));
  invocation.terminal.result(app, `${name} has ${replicas === 1 ? "1 copy" : `${replicas} copies`}.`);
}
