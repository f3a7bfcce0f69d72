import { existsSync, mkdirSync } from "node:fs";
import { installPackages } from "./apt.mjs";
import { findProgram, run } from "./run.mjs";
import { hasSystemd } from "./systemd.mjs";
import { say } from "./terminal.mjs";

const SERVER = "/usr/sbin/sshd";

/** The server separates its privileges in it; its package's service makes it, and we start the server without that. */
const SERVER_FOLDER = "/run/sshd";

export function hasSshClient() {
  return findProgram("ssh") !== undefined;
}

/**
 * Makes sure that ssh is there: the agent reads private repositories with it.
 *
 * @throws {import("./terminal.mjs").SetupError}
 */
export async function ensureSshClient() {
  if (hasSshClient()) return;
  await installPackages(["openssh-client"], "ssh, which reads private repositories");
}

export function hasSshServer() {
  return sshServerIsInstalled() && existsSync(SERVER_FOLDER);
}

/** Where sshd is, for tests that start one of their own on loopback. */
export function sshServerIsInstalled() {
  return existsSync(SERVER);
}

/** Disables an sshd that has just been installed. */
export async function disableSshService() {
  if (!hasSystemd()) return;
  say("Disabling the service that came with the package (systemctl disable --now ssh): nobody asked for a login.");
  await run("systemctl", ["disable", "--now", "ssh"]);
}

export function makeSshServerFolder() {
  mkdirSync(SERVER_FOLDER, { recursive: true, mode: 0o755 });
}
