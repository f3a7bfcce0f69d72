import type { ServiceImpl } from "@connectrpc/connect";
import { SvcError } from "@svc/shared/errors.ts";
import type { AgentService } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { Installation } from "../../platform/installation.ts";
import { headerAndChunks } from "./header-and-chunks.ts";
import { switchVersion, unpackVersion } from "../upgrade.ts";

export interface UpgradeParts {
  /** Undefined where the agent runs from the sources. */
  installation: Installation | undefined;
  /** Has the agent end soon, so that it is started anew. */
  endForUpgrade(): void;
  /** A control plane, which the fleet trusts, uses the agent. */
  onWatched(): void;
}

/** The call by which a host gets another version of its agent. */
export function upgradeCall({
  installation,
  endForUpgrade,
}: UpgradeParts): Pick<ServiceImpl<typeof AgentService>, "upgradeAgent"> {
  let isBusy = false;

  return {
    async upgradeAgent(requests) {
      if (!installation) throw fromSources();
      if (isBusy) throw new SvcError("deploy_in_progress", "The agent takes an upgrade already.");
      isBusy = true;
      try {
        const { header, chunks } = await headerAndChunks(requests, invalid);
        const { version, sha256, architecture } = header;
        if (architecture !== process.arch) throw invalid(`it is for ${architecture}, and this host is ${process.arch}`);
        if (version === installation.version) return {};
        await unpackVersion(installation, { version, sha256 }, chunks);
        await switchVersion(installation, version);
        endForUpgrade();
        return {};
      } finally {
        isBusy = false;
      }
    },
  };
}

function fromSources(): SvcError {
  return new SvcError(
    "invalid_request",
    "The agent of this server runs from the sources, and was not installed by the command of `server token`. Update its folder, run " +
      "`npm ci` and `npm run build` there, and restart it.",
  );
}

function invalid(what: string): SvcError {
  return new SvcError("invalid_request", `The agent refused the upgrade: ${what}.`);
}
