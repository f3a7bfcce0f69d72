import { openService } from "../api/client.ts";
import type { Invocation } from "../command-line/command.ts";
import { requireApp } from "../api/apps.ts";
import { openBrowser } from "../output/open-browser.ts";
import { whichApp } from "../project/which-app.ts";

/** Shows the app's URL, and opens it where somebody sits in front of a screen. */
export async function open(invocation: Invocation): Promise<void> {
  const { terminal, env } = invocation;
  const name = await whichApp(invocation);
  const { url } = await requireApp(await openService(invocation), name);
  terminal.result({ url }, url);
  openBrowser(terminal, env, url);
}
