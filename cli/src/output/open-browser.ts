import { spawn } from "node:child_process";
import { platform } from "node:os";
import type { Terminal } from "./terminal.ts";

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
  linux: ["xdg-open"],
};

/** Opens an address in the browser where somebody sits in front of a screen. Whether it has tried. */
export function openBrowser(
  terminal: Terminal,
  env: Readonly<Record<string, string | undefined>>,
  url: string,
): boolean {
  const hasScreen = platform() !== "linux" || Boolean(env["DISPLAY"] || env["WAYLAND_DISPLAY"]);
  const [program, ...argv] = OPENERS[platform()] ?? [];
  // It is the service's word, and goes to a program: nothing but an address of the web.
  if (!terminal.isLive || !hasScreen || program === undefined || !/^https?:\/\//.test(url)) return false;
  const child = spawn(program, [...argv, url], { stdio: "ignore", detached: true });
  child.once("error", () => terminal.note("No browser could be opened here."));
  child.unref();
  return true;
}
