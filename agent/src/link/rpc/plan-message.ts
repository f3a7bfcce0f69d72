import type { MessageInitShape } from "@bufbuild/protobuf";
import type { PlanSourceResponseSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { SourcePlan } from "../../source/source-planner.ts";

/** A plan as the wire has it. */
export function planMessage({
  dockerfile,
  start,
  spec_file,
  name,
  services,
  notes,
  env,
  ...plan
}: SourcePlan): MessageInitShape<typeof PlanSourceResponseSchema> {
  return {
    ...plan,
    ...(start !== null && { start }),
    dockerfile:
      "path" in dockerfile
        ? { case: "dockerfilePath", value: dockerfile.path }
        : { case: "dockerfileText", value: dockerfile.text },
    notes: [...notes],
    specFile: spec_file ?? "",
    name: name ?? "",
    services: [...services],
    env: [...env],
  };
}
