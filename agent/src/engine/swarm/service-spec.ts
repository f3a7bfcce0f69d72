import { GRACE_SECONDS } from "@svc/shared/rules/stop-grace.ts";
import { containerLabels } from "@svc/shared/rules/labels.ts";
import type { ServiceSpec } from "dockerode";
import type { ContainerSpec } from "../../ports.ts";
import { capabilitiesOf, LOGGING, PIDS_MAX, ULIMITS } from "../containers/container-spec.ts";

/** Labels of a service beside those of a container: the image as the agent knows it, and how many copies are wanted. */
export const LABEL_IMAGE = "svc.image";
export const LABEL_COPIES = "svc.copies";
/** Is `1` once the container has proven that it serves: see Engine.keepRunning. */
export const LABEL_KEPT = "svc.kept";

/** The engine's own limit for names of services. */
const NAME_LENGTH_MAX = 63;
const SECOND_NS = 1_000_000_000;
/** One that ends at its start is seen to have ended before it is made again. */
const RESTART_DELAY_NS = SECOND_NS;
/** A copy that ends within this time of an update has failed it. */
const MONITOR_NS = 5 * SECOND_NS;

/** The facts that the cluster adds to a spec. */
export interface ServicePlacement {
  serverId: string;
  networkId: string;
  image: {
    /** As all machines of the cluster can fetch it. */
    reference: string;
    /** Whether its processes begin as root. */
    startsAsRoot: boolean;
  };
}

/** Is for people who look at the cluster. An app's name alone may be as long as a service's. */
export function serviceName({ app, deployId }: Pick<ContainerSpec, "app" | "deployId">): string {
  const name = `svc-${deployId?.slice(-12) ?? app.id.slice(-12)}-${app.name}`;
  return name.slice(0, NAME_LENGTH_MAX).replace(/-$/, "");
}

/** The body of the Engine API's `POST /services/create`. */
export function serviceSpec(spec: ContainerSpec, placement: ServicePlacement): ServiceSpec {
  const { serverId, image, networkId } = placement;
  const { copies = 1 } = spec;
  const labels = { ...containerLabels(serverId, spec) };
  const update = { Parallelism: 1, Order: "start-first", Monitor: MONITOR_NS, MaxFailureRatio: 0 } as const;
  return {
    Name: serviceName(spec),
    Labels: { ...labels, [LABEL_IMAGE]: spec.image, [LABEL_COPIES]: String(copies) },
    TaskTemplate: {
      ContainerSpec: {
        Image: image.reference,
        ...(spec.command === undefined ? {} : { Args: [...spec.command] }),
        Env: Object.entries(spec.env).map(([name, value]) => `${name}=${escapeTemplates(value)}`),
        Labels: labels,
        Init: true,
        CapabilityDrop: ["ALL"],
        CapabilityAdd: capabilitiesOf(spec, image.startsAsRoot),
        Ulimits: ULIMITS,
        StopGracePeriod: GRACE_SECONDS[spec.role] * SECOND_NS,
        // An image's own check would be started by the engine, as often as the image says; the agent looks by itself.
        Healthcheck: { Test: ["NONE"] },
      },
      Resources: {
        Limits: { NanoCPUs: spec.cpuMillis * 1_000_000, MemoryBytes: spec.memoryBytes, Pids: PIDS_MAX },
      },
      RestartPolicy: { Condition: "any", Delay: RESTART_DELAY_NS },
      LogDriver: { Name: LOGGING.driver, Options: { ...LOGGING.options } },
      Networks: [{ Target: networkId, Aliases: [...spec.aliases] }],
    },
    Mode: { Replicated: { Replicas: copies } },
    UpdateConfig: { ...update, FailureAction: "rollback" },
    RollbackConfig: { ...update, FailureAction: "pause" },
    // Names lead to the copies' own addresses: virtual ones need a kernel with IP_VS.
    EndpointSpec: { Mode: "dnsrr" },
  } as ServiceSpec;
}

/** The engine takes a variable of a service for a template of Go's, in which only these two characters mean something. */
export function escapeTemplates(value: string): string {
  return value.replaceAll("{{", '{{"{{"}}');
}

export function unescapeTemplates(value: string): string {
  return value.replaceAll('{{"{{"}}', "{{");
}
