import { spawn } from "node:child_process";
import { eventually } from "../tools/eventually.ts";
import { SVC } from "../platform/bundles.ts";
import type { SvcUser } from "./svc.ts";

/** The tool on a terminal, with somebody at the keyboard. */
export interface SvcTerminal {
  /** Everything that was written so far, control sequences included. */
  screen(): string;
  /** Waits until the text is there. */
  sees(text: string | RegExp): Promise<void>;
  type(keys: string): void;
  /** Its exit status. */
  ended: Promise<number | null>;
}

export const CTRL_C = "\u0003";

export function openSvcTerminal(
  user: SvcUser,
  argv: readonly string[],
  env: Record<string, string>,
  cwd = user.folder,
): SvcTerminal {
  // util-linux's `script` is on every Debian; it gives the command a terminal, and types what it reads.
  const line = ["exec", process.execPath, SVC, ...argv].map(quoted).join(" ");
  const child = spawn("script", ["--quiet", "--return", "--command", `stty rows 40 cols 100; ${line}`, "/dev/null"], {
    cwd,
    env: {
      PATH: process.env["PATH"] ?? "/usr/bin:/bin",
      HOME: user.home,
      TERM: "xterm-256color",
      SHELL: "/bin/sh",
      ...env,
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let screen = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (screen += text));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return {
    screen: () => screen,
    async sees(text) {
      const isThere = (all: string): boolean => (typeof text === "string" ? all.includes(text) : text.test(all));
      await eventually(() => screen, isThere, { what: `the terminal shows ${String(text)}`, deadlineMs: 60_000 });
    },
    type: (keys) => void child.stdin.write(keys),
    ended,
  };
}

function quoted(word: string): string {
  return /^[\w./:=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
