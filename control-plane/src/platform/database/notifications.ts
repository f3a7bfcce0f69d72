import pg from "pg";
import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { repeatUntilDone } from "@svc/shared/platform/repeat.ts";
import type { Channel, Notifications } from "../../ports.ts";
import { showPresence } from "./process-presence.store.ts";

export interface NotificationsOptions {
  url: string;
  /** UUID of this process, whose presence the same connection shows (process-presence.ts). */
  processId: string;
  clock: Clock;
  log: Logger;
}

export interface RunningNotifications extends Notifications {
  stop(): Promise<void>;
}

type Listener = (payload: string | undefined) => void;

const CHANNELS: readonly Channel[] = [
  "deploy_queue",
  "deploy_events",
  "pushes",
  "deploy_cancel",
  "servers",
  "webhooks",
  "routes",
  "credentials",
  "mails",
];
/** Pauses double from here. Listeners also poll slowly, so that nothing but speed is lost meanwhile. */
const RECONNECT_MS = 50;

/** Listens on one connection of its own, and takes a new one whenever it breaks. Resolves once it listens. */
export async function startNotifications(options: NotificationsOptions): Promise<RunningNotifications> {
  const { url, processId, clock, log } = options;
  const listeners = new Map<string, Set<Listener>>(CHANNELS.map((channel) => [channel, new Set<Listener>()]));
  const stopping = new AbortController();
  let listening = false;
  let client = await listen();

  async function listen(): Promise<pg.Client> {
    const fresh = new pg.Client({ connectionString: url, application_name: "svc-notifications", keepAlive: true });
    fresh.on("notification", ({ channel, payload }) => tell(channel, payload));
    // Every "error" is followed by "end".
    fresh.on("error", (error) => {
      listening = false;
      log.warn({ err: error }, "the connection for notifications was lost");
    });
    try {
      await fresh.connect();
      await showPresence(fresh, processId);
      for (const channel of CHANNELS) await fresh.query(`listen ${channel}`);
    } catch (error) {
      await fresh.end().catch(() => undefined);
      throw error;
    }
    fresh.once("end", () => {
      listening = false;
      void reconnect();
    });
    listening = true;
    return fresh;
  }

  async function reconnect(): Promise<void> {
    const work = async (): Promise<void> => {
      client = await listen();
      if (stopping.signal.aborted) return client.end();
      for (const channel of CHANNELS) tell(channel, undefined);
    };
    const failing = "can't listen for notifications yet";
    await repeatUntilDone({ everyMs: RECONNECT_MS, failing, work, clock, log }, stopping.signal);
  }

  function tell(channel: string, payload: string | undefined): void {
    for (const listener of listeners.get(channel) ?? []) {
      try {
        listener(payload);
      } catch (error) {
        log.error({ err: error, channel }, "a listener of notifications failed");
      }
    }
  }

  return {
    subscribe(channel, listener) {
      // A function of its own, so that one listener may subscribe twice.
      const entry: Listener = (payload) => listener(payload);
      listeners.get(channel)?.add(entry);
      return () => void listeners.get(channel)?.delete(entry);
    },
    get listening() {
      return listening;
    },
    async stop() {
      stopping.abort(new Error("notifications are stopping"));
      await client.end().catch(() => undefined);
    },
  };
}
