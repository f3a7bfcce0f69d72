import { once } from "node:events";
import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import { AgentService } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import {
  HealthCheckResponse_ServingStatus as ServingStatus,
  type Health,
} from "@svc/shared/gen/health/v1/health_pb.ts";

/** The whole server, and each service by name. Engine and proxy are in the agent's status, not here. */
const SERVED: ReadonlySet<string> = new Set(["", AgentService.typeName]);

/** gRPC's standard health service (grpc/doc/health-checking.md); watches end when `stopping` aborts. */
export function healthService(stopping: AbortSignal): ServiceImpl<typeof Health> {
  const now = () => ({ status: stopping.aborted ? ServingStatus.NOT_SERVING : ServingStatus.SERVING });
  return {
    check({ service }) {
      if (!SERVED.has(service)) throw new ConnectError(`unknown service ${service}`, Code.NotFound);
      return now();
    },
    list() {
      return { statuses: Object.fromEntries([...SERVED].map((service) => [service, now()])) };
    },
    async *watch({ service }, { signal }) {
      const known = SERVED.has(service);
      yield known ? now() : { status: ServingStatus.SERVICE_UNKNOWN };
      const ended = AbortSignal.any([signal, stopping]);
      if (!ended.aborted) await once(ended, "abort");
      if (stopping.aborted && known) yield now();
    },
  };
}
