import { spawn } from "node:child_process";
import { platform } from "node:os";
import { openService } from "../api/client.ts";
import type { Invocation } from "../command-line/command.ts";
import { requireApp } from "../api/apps.ts";
import { whichApp } from "../project/which-app.ts";

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
  linux: ["xdg-open"],
};

/** Shows the app's URL, and opens it where somebody sits in front of a screen. */
export async function open(invocation: Invocation): Promise<void> {
  const { terminal, env } = invocation;
  const name = await whichApp(invocation);
  const { url } = await requireApp(await openService(invocation), name);
  terminal.result({ url }, url);
  const hasScreen = platform() !== "linux" || Boolean(env["DISPLAY"] || env["WAYLAND_DISPLAY"]);
  const [program, ...argv] = OPENERS[platform()] ?? [];
  // It is the service's word, and goes to a program: nothing but an address of the web.
  if (!terminal.isLive || !hasScreen || program === undefined || !/^https?:\/\//.test(url)) return;
  const child = spawn(program, [...argv, url], { stdio: "ignore", detached: true });
  child.once("error", () => terminal.note("No browser could be opened here."));
  child.unref();
}
