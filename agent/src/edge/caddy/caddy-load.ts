import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { writeDurably } from "../../platform/durable-file.ts";
import type { CaddyAdmin, Http3State } from "./caddy-admin.ts";
import { caddyConfig, httpsServerOf, type CaddySettings } from "./caddy-config.ts";
import { fieldOf } from "../local-http.ts";

/** Its listener is there when it answers; what serves on it starts in a moment. */
const HTTP3_START_MS_MAX = 5_000;
/** Its grace period, and some more. */
const HTTP3_END_MS_MAX = 12_000;
const HTTP3_POLL_MS = 10;

export interface ConfigLoader {
  /** Whether the Caddy that runs can't serve HTTP/3 any more. */
  hasLostHttp3(): boolean;
  /** Another Caddy runs now, or none. */
  forgetHttp3Loss(): Promise<void>;
  /** Gives the Caddy that runs a new configuration in place of `running`. @throws when it refuses that */
  load(running: unknown, settings: CaddySettings): Promise<void>;
}

export function createConfigLoader(admin: CaddyAdmin, stateDirectory: string, log: Logger): ConfigLoader {
  /** Is there while a Caddy runs that can't serve HTTP/3 any more: the loss is its own, not this process's. */
  const lostFile = join(stateDirectory, "http3-lost");

  async function noteLoss(): Promise<void> {
    log.error("apps are served over HTTP/1.1 and HTTP/2, but not over HTTP/3 until the proxy (Caddy) is restarted");
    await writeDurably(lostFile, "");
  }

  /** Whether Caddy came to that; also true when it never told. One that is off does not come to serve. */
  async function comesTo(wanted: Http3State, withinMs: number): Promise<boolean> {
    let last: Http3State = wanted;
    for (const deadline = Date.now() + withinMs; ; await systemClock.sleep(HTTP3_POLL_MS)) {
      const state = await admin.http3().catch(() => undefined);
      if (state === wanted) return true;
      if (state === "off") return false;
      last = state ?? last;
      if (Date.now() >= deadline) return last === wanted;
    }
  }

  return {
    hasLostHttp3: () => existsSync(lostFile),
    forgetHttp3Loss: () => rm(lostFile, { force: true }),
    async load(running, settings) {
      const [major, minor] = settings.caddyVersion;
      if (major > 2 || minor > 6) return admin.load(caddyConfig(settings));
      // Caddy 2.6 hands its listener for HTTP/3 on to the next configuration together with the former one's certificates,
      // unless one that has no such listener comes between.
      const withoutHttp3 = caddyConfig({ ...settings, http3: false });
      if (hasHttp3(running)) {
        await comesTo("serving", HTTP3_START_MS_MAX);
        await admin.load(withoutHttp3);
      }
      if (settings.http3 && !(await comesTo("off", HTTP3_END_MS_MAX))) return noteLoss();
      await admin.load(caddyConfig(settings));
      // Where it was slow to end the former listener, on a busy host, all later ones are dead as long as it runs.
      if (!settings.http3 || (await comesTo("serving", HTTP3_START_MS_MAX))) return;
      await noteLoss();
      await admin.load(withoutHttp3);
    },
  };
}

function hasHttp3(config: unknown): boolean {
  const protocols = fieldOf(httpsServerOf(config), "protocols");
  return Array.isArray(protocols) && protocols.includes("h3");
}
