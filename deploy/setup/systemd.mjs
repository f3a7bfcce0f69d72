import { existsSync, readFileSync } from "node:fs";

/** True when systemd runs this machine's services (sd_booted(3)), not only lies on its disk. */
export function hasSystemd() {
  return existsSync("/run/systemd/system") && readFileSync("/proc/1/comm", "utf8").trim() === "systemd";
}
