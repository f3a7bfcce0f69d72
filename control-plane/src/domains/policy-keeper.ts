import type { Clock } from "@svc/shared/platform/clock.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { perKey } from "@svc/shared/platform/per-key.ts";
import { repeat } from "@svc/shared/platform/repeat.ts";
import type { AgentLinks } from "../ports.ts";
import type { CertificatePolicy } from "./certificate-policy.ts";

/** A proxy that changes its configuration, or starts, takes seconds; on a busy host up to 40, and it waits for requests. */
const SET_POLICY_MS_MAX = 90_000;
/** How soon a certificate that the operator has replaced is used. */
const LOOK_MS = 60_000;

export interface PolicyKeeperOptions {
  links: AgentLinks;
  /** @throws SvcError when its files can't be read */
  policy: () => Promise<CertificatePolicy>;
  clock: Clock;
  log: Logger;
}

/** Tells each agent the certificate policy when its link comes up, and all of them when it has changed. */
export function startPolicyKeeper({ links, policy, clock, log }: PolicyKeeperOptions): {
  name: string;
  stop(): Promise<void>;
} {
  const stopping = new AbortController();
  const { signal } = stopping;
  /** The policy that each agent was told last, over its link. */
  const told = new Map<string, string>();

  async function tell(serverId: string): Promise<void> {
    const agent = links.agent(serverId);
    if (!agent) return void told.delete(serverId);
    const current = await policy();
    const text = JSON.stringify(current);
    if (told.get(serverId) === text) return;
    told.set(serverId, text);
    try {
      await agent.setCertificatePolicy({ policy: current }, { timeoutMs: SET_POLICY_MS_MAX, signal });
    } catch (error) {
      told.delete(serverId);
      throw error;
    }
  }

  const failing = "certificate policy not set; tried again";
  const telling = perKey({ work: tell, failing, log }, signal);
  const tellAll = async (): Promise<void> => void (await Promise.all(links.linkedServers().map(telling.wake)));
  const unsubscribe = links.onChange((serverId) => void telling.wake(serverId));
  const working = repeat({ everyMs: LOOK_MS, failing, work: tellAll, clock, log }, signal);
  return {
    name: "certificate policy",
    async stop() {
      unsubscribe();
      stopping.abort();
      await Promise.all([working, telling.idle()]);
    },
  };
}
