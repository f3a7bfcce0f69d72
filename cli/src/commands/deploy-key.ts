import { answerOf, done } from "../api/client.ts";
import type { Invocation } from "../command-line/command.ts";
import { openApp } from "../project/which-app.ts";

const PATH = "/api/apps/{name}/deploy-key";

export async function createDeployKey(invocation: Invocation): Promise<void> {
  const { name, service } = await openApp(invocation);
  const key = await answerOf(service, service.rest.POST(PATH, { params: { path: { name } } }));
  const where = "Add it to the repository as a read-only deploy key; deploys clone over SSH with it from now on.";
  invocation.terminal.result(key, `${key.public_key}\n\n${where}`);
}

export async function showDeployKey(invocation: Invocation): Promise<void> {
  const { name, service } = await openApp(invocation);
  const key = await answerOf(service, service.rest.GET(PATH, { params: { path: { name } } }));
  invocation.terminal.result(key, `${key.public_key}\n${key.fingerprint}`);
}

export async function removeDeployKey(invocation: Invocation): Promise<void> {
  const { name, service } = await openApp(invocation);
  await done(service, service.rest.DELETE(PATH, { params: { path: { name } } }));
  invocation.terminal.result({ removed: true }, `Removed the deploy key of ${name}: later deploys clone without one.`);
}
