import { create } from "@bufbuild/protobuf";
import type { StatusWatchOptions } from "@svc/control-plane/fleet/links/status-watch.ts";
import { ConfirmTakenBackResponseSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";

type Link = StatusWatchOptions["link"];

export interface TellingLinkOptions {
  serverId: string;
  retired: AbortSignal;
  /** The statuses that the agent reports. */
  statuses: Link["client"]["watchStatus"];
  /** Takes the ids of the deploys whose taking back was confirmed. */
  confirmed?: string[];
  /** The error that it answers instead. */
  refusal?: Error | undefined;
}

/** The link of an agent that tells statuses, as the control plane that holds it sees it. */
export function tellingLink({ serverId, retired, statuses, confirmed = [], refusal }: TellingLinkOptions): Link {
  const confirmTakenBack: Link["client"]["confirmTakenBack"] = ({ deployId = "" }) => {
    if (refusal) return Promise.reject(refusal);
    confirmed.push(deployId);
    return Promise.resolve(create(ConfirmTakenBackResponseSchema));
  };
  return { serverId, retired, client: { watchStatus: statuses, confirmTakenBack } };
}
