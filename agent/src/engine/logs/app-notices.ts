import type { AppNotice } from "./app-notice.ts";
import type { OwnedContainer } from "../../ports.ts";

/** Notices kept of each app: half of what a log shows unless more is asked for. */
const KEPT = 50;
/** Apps that are remembered, far more than a server has: those that are gone leave first. */
const APPS_MAX = 2_000;

export type ShownContainer = Pick<OwnedContainer, "appId" | "containerId">;
type Listener = (notice: AppNotice) => void;

/** The newest notices of each app, in memory. */
export class AppNotices {
  /** The app that was told of last comes last. */
  readonly #byApp = new Map<string, AppNotice[]>();
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #onAdd: Listener;

  /** @param onAdd is told each notice of any app */
  constructor(onAdd: Listener = () => undefined) {
    this.#onAdd = onAdd;
  }

  add(notice: AppNotice): void {
    const { appId } = notice;
    const kept = [...(this.#byApp.get(appId) ?? []), notice].slice(-KEPT);
    this.#byApp.delete(appId);
    this.#byApp.set(appId, kept);
    const [oldest] = this.#byApp.keys();
    if (this.#byApp.size > APPS_MAX && oldest !== undefined) this.#byApp.delete(oldest);
    for (const listener of this.#listeners.get(appId) ?? []) listener(notice);
    this.#onAdd(notice);
  }

  /** Returns the notices that belong into the container's log, oldest first: its own, and its database's. */
  of(container: ShownContainer): AppNotice[] {
    return (this.#byApp.get(container.appId) ?? []).filter((notice) => belongsTo(container, notice));
  }

  /** Hands over each further one that belongs into the container's log, until what it returns is called. */
  listen(container: ShownContainer, listener: Listener): () => void {
    const { appId } = container;
    const listeners = this.#listeners.get(appId) ?? new Set();
    const own: Listener = (notice) => {
      if (belongsTo(container, notice)) listener(notice);
    };
    this.#listeners.set(appId, listeners.add(own));
    return () => {
      listeners.delete(own);
      if (listeners.size === 0) this.#listeners.delete(appId);
    };
  }

  /** Drops the app's notices. Idempotent. */
  forget(appId: string): void {
    this.#byApp.delete(appId);
  }
}

/** A container's log tells nothing of what the app's former container met. */
function belongsTo(shown: ShownContainer, { containerId, role }: AppNotice): boolean {
  return containerId === shown.containerId || role === "database";
}
