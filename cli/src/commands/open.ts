import type { Invocation } from "../command-line/command.ts";
import { requireApp } from "../api/apps.ts";
import { openBrowser } from "../output/open-browser.ts";
import { openApp } from "../project/which-app.ts";

/** Shows the app's URL, and opens it where somebody sits in front of a screen. */
export async function open(invocation: Invocation): Promise<void> {
  const { terminal, env } = invocation;
  const { name, service } = await openApp(invocation);
  const { url } = await requireApp(service, name);
  terminal.result({ url }, url);
  openBrowser(terminal, env, url);
}
