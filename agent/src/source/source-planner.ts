import { SvcError } from "@svc/shared/errors.ts";
import { checkoutFiles } from "@svc/shared/frameworks/repository/checkout-files.ts";
import { folderPlan, planFolder, type FolderPlan } from "@svc/shared/frameworks/plan-folder.ts";
import type { CloneBuildSpec } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { requireWithin } from "@svc/shared/spec/caps.ts";
import { timeLimit } from "../platform/time-limit.ts";
import type { StepContext } from "../runner/step.ts";
import { fetchSource, removeCheckouts } from "./checkout.ts";
import { checkSource } from "./source.ts";
import { findAppFolder } from "./spec-file.ts";

/** Fetches cost disk and network, which deploys need more. */
const AT_ONCE = 2;

/** The plan of a commit. */
export interface SourcePlan extends FolderPlan {
  /** Full SHA. */
  commitSha: string;
}

/** Says what deploys of repositories would make, without an app, a lock or anything that stays. */
export class SourcePlanner {
  readonly #ports: Pick<StepContext, "dataDirectory" | "git" | "host">;
  #open = 0;

  constructor(ports: Pick<StepContext, "dataDirectory" | "git" | "host">) {
    this.#ports = ports;
  }

  /**
   * @param planId UUID, another for each call: the checkout lies in a folder of that name
   * @throws SvcError rate_limited when two are read already; invalid_request; framework_unknown; step_timed_out; why the
   *   repository can't be fetched
   */
  async plan(planId: string, message: CloneBuildSpec, caller: AbortSignal): Promise<SourcePlan> {
    const source = checkSource({ app: { id: planId, name: "plan" }, deployId: planId }, message);
    if (this.#open >= AT_ONCE) throw busy();
    this.#open += 1;
    const limit = timeLimit(source.timeLimitSeconds, timedOut(source.timeLimitSeconds));
    const signal = AbortSignal.any([caller, limit.signal]);
    const output = { log: () => undefined, progress: () => undefined };
    const run = { ...this.#ports, deployId: planId, output, signal };
    try {
      const { directory, commitSha } = await fetchSource(run, source);
      const files = checkoutFiles(directory);
      const folder = findAppFolder(files, source.root);
      const { file } = folder;
      if (file) requireWithin(file.file, file.spec.resources, source.capsMax);
      return { ...folderPlan(files, planFolder(files, file?.spec, folder.root), folder), commitSha };
    } finally {
      limit.clear();
      // A place is free when its checkout is off the disk. What can't be removed goes with the agent's next start.
      await removeCheckouts({ ...run, handover: {} }).catch(() => undefined);
      this.#open -= 1;
    }
  }
}

function busy(): SvcError {
  return new SvcError(
    "rate_limited",
    `${AT_ONCE} other repositories are being read at this moment. Try again in some seconds.`,
  );
}

function timedOut(seconds: number): SvcError {
  return new SvcError(
    "step_timed_out",
    `Fetching the repository took longer than ${seconds} seconds. A deploy may take longer: create the app and deploy it.`,
  );
}
