import type { Clock } from "@svc/shared/platform/clock.ts";
import {
  afterEnd,
  afterLook,
  firstMemory,
  type HealthLook,
  type HealthMemory,
  type HealthVerdict,
  type UnhealthyReason,
} from "../engine/containers/app-health.ts";
import type { OwnedContainer } from "../ports.ts";

/** Is told when the verdict on an app changes; `reason` is undefined when it serves again. */
export type HealthListener = (app: OwnedContainer, reason: UnhealthyReason | undefined, at: Date) => void;

/** How each app of this host is, from one look to the next. */
export class AppHealth {
  readonly #clock: Clock;
  readonly #onChange: HealthListener;
  readonly #apps = new Map<string, { name: string; memory: HealthMemory }>();
  /** App → how many of its owner's actions go on. */
  readonly #acted = new Map<string, number>();

  constructor(clock: Clock, onChange: HealthListener = () => undefined) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /**
   * Takes in a look.
   * @param appName undefined when its container is gone; then the one that it had counts
   * @returns the verdict, undefined while nothing can be said of the app
   */
  look(appId: string, appName: string | undefined, found: Omit<HealthLook, "at">): HealthVerdict | undefined {
    const before = this.#apps.get(appId)?.memory;
    if (before && this.#acted.has(appId)) return before.verdict;
    const now = this.#clock.now();
    const look = { ...found, at: now.getTime() };
    const memory = afterLook(before ?? firstMemory(look), look);
    const name = appName ?? this.nameOf(appId);
    this.#apps.set(appId, { name, memory });
    const { verdict } = memory;
    if (verdict && verdict.reason !== before?.verdict?.reason) {
      this.#onChange({ appId, appName: name, containerId: found.containerId, role: "app" }, verdict.reason, now);
    }
    return verdict;
  }

  /** The app's name when its container was there; empty when it never was. */
  nameOf(appId: string): string {
    return this.#apps.get(appId)?.name ?? "";
  }

  /** A container of the app has ended. */
  ended({ appId, containerId }: Pick<OwnedContainer, "appId" | "containerId">, forMemory: boolean): void {
    const app = this.#apps.get(appId);
    if (app) this.#apps.set(appId, { ...app, memory: afterEnd(app.memory, containerId, forMemory) });
  }

  /** While its owner has the app started or restarted, its health stays as it was: it is down because that was asked for. */
  async during<T>(appId: string, action: () => Promise<T>): Promise<T> {
    this.#acted.set(appId, (this.#acted.get(appId) ?? 0) + 1);
    try {
      return await action();
    } finally {
      const left = (this.#acted.get(appId) ?? 1) - 1;
      if (left > 0) this.#acted.set(appId, left);
      else this.#acted.delete(appId);
    }
  }

  /** Forgets the apps that this host has no longer. */
  keepOnly(appIds: { has(appId: string): boolean }): void {
    for (const known of this.#apps.keys()) if (!appIds.has(known)) this.#apps.delete(known);
  }
}
