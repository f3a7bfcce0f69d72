import { SvcError } from "@svc/shared/errors.ts";
import { labelFilter } from "@svc/shared/rules/labels.ts";
import { NODE_RULE_PRIORITIES } from "@svc/shared/net/routing-rule-priorities.ts";
import type { ServiceSpec } from "dockerode";
import { systemClock } from "@svc/shared/platform/clock.ts";
import type { DockerContext } from "../context.ts";
import { unless } from "../errors.ts";
import { LABEL_IMAGE } from "./service-spec.ts";
import { formatCidr } from "../network/address-block.ts";
import type { ClusterRegistry } from "./cluster-registry.ts";
import { listNodes, nameOf, takesWork } from "./manager.ts";
import { partImage, partLabels, partName } from "./part-container.ts";
import type { SwarmService, SwarmTask } from "./services.ts";

/** Tasks of a cluster leave their networks through this bridge of their machine. */
const WAY_OUT = "docker_gwbridge";
/** The rules that a guard was made with. */
const LABEL_RULES = "svc.rules";
const LINK_LOCAL = "169.254.0.0/16";
/** A machine that has just joined fetches the guard's image first. */
const READY_MS_MAX = 60_000;
const READY_POLL_MS = 250;

/** Keeps the apps of each machine from link-local addresses, and from other apps by way of the machine itself. */
export interface Guard {
  /** Resolves when every machine that takes work is guarded. @throws SvcError isolation_unavailable */
  ensure(): Promise<void>;
}

export function createGuard(ctx: DockerContext, registry: ClusterRegistry): Guard {
  const rules = rulesFor(formatCidr(ctx.addressBlock)).map(
    (rule, at) => `${rule} priority ${NODE_RULE_PRIORITIES[at]}`,
  );
  const env = [`RULES=${rules.join("\n")}`];

  async function ensureService(): Promise<string> {
    const filters = labelFilter(partLabels(ctx.serverId, "guard"));
    const [found] = (await ctx.docker.listServices({ filters })) as unknown as SwarmService[];
    const image = await partImage(ctx);
    if (found?.Spec.Labels?.[LABEL_IMAGE] === image && found.Spec.Labels[LABEL_RULES] === env[0]) return found.ID;
    if (found) await unless([404], ctx.docker.getService(found.ID).remove());
    const { reference, auth } = await registry.publish(image, "svc/parts");
    const made = (await ctx.docker.createService(auth, body(image, reference))) as unknown as { id: string };
    return made.id;
  }

  function body(imageId: string, image: string): ServiceSpec {
    return {
      Name: partName(ctx.serverId, "guard"),
      Labels: { ...partLabels(ctx.serverId, "guard"), [LABEL_IMAGE]: imageId, [LABEL_RULES]: env[0]! },
      TaskTemplate: {
        ContainerSpec: {
          Image: image,
          Args: ["guard"],
          Env: env,
          Init: true,
          CapabilityDrop: ["ALL"],
          CapabilityAdd: ["NET_ADMIN"],
        },
        RestartPolicy: { Condition: "any" },
        Networks: [{ Target: "host" }],
      },
      Mode: { Global: {} },
    } as ServiceSpec;
  }

  /** Names of machines that take work and have no guard yet. */
  async function unguarded(service: string): Promise<string[]> {
    const nodes = await listNodes(ctx);
    const tasks = (await ctx.docker.listTasks({ filters: { service: [service] } })) as SwarmTask[];
    const guarded = new Set(tasks.filter(({ Status }) => Status.State === "running").map(({ NodeID }) => NodeID));
    return nodes.filter((node) => takesWork(node) && !guarded.has(node.ID)).map(nameOf);
  }

  return {
    ensure: () =>
      ctx.serialize("guard", async () => {
        const service = await ensureService();
        const deadline = Date.now() + READY_MS_MAX;
        for (let left = await unguarded(service); left.length > 0; left = await unguarded(service)) {
          if (Date.now() > deadline) throw notGuarded(left);
          await systemClock.sleep(READY_POLL_MS);
        }
      }),
  };
}

/** Stands in the order in which they apply. */
function rulesFor(block: string): string[] {
  return [
    `from all iif ${WAY_OUT} to ${LINK_LOCAL} ipproto udp dport 53 lookup main`,
    `from all iif ${WAY_OUT} to ${LINK_LOCAL} ipproto tcp dport 53 lookup main`,
    `from all iif ${WAY_OUT} to ${LINK_LOCAL} prohibit`,
    `from all iif ${WAY_OUT} to ${block} prohibit`,
  ];
}

function notGuarded(names: readonly string[]): SvcError {
  return new SvcError(
    "isolation_unavailable",
    `The cluster deploys nothing, since apps can't be kept apart on ${names.join(", ")}: the agent's guard does not run there. ` +
      "Whoever runs this service finds the reason in `docker service ps` of svc-guard (most often, the machine does not trust " +
      "the cluster's registry), or sets SVC_ISOLATION=off.",
  );
}
