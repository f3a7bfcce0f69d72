import { requireApp } from "../api/apps.ts";
import type { Invocation } from "../command-line/command.ts";
import { runDeploy } from "../deploy/run-deploy.ts";
import { withView } from "../deploy/with-view.ts";
import { openApp } from "../project/which-app.ts";

/** Deploys what the app's repository has. */
export async function deploy(invocation: Invocation): Promise<number> {
  const { flags, terminal } = invocation;
  return withView(terminal, async (view) => {
    const { name, service } = await openApp(invocation);
    view.show({ type: "doing", what: `Asking ${service.access.url} for the app ${name}` });
    const app = await requireApp(service, name);
    const [ref, release] = [flags.text("ref"), flags.text("release")];
    const [detach, watch] = [flags.isSet("detach"), !flags.isSet("no-watch")];
    return runDeploy({ service, terminal, view }, { app, ref, release, detach, watch });
  });
}
