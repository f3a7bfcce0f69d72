import { createContextKey, type HandlerContext } from "@connectrpc/connect";
import { toConnectError } from "@svc/shared/platform/connect-errors.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { FleetIdentity } from "@svc/shared/rules/fleet-identity.ts";

/** The caller, by the certificate of its connection; undefined never gets past `authorize`. */
export const peerKey = createContextKey<FleetIdentity | undefined>(undefined, { description: "peer" });

/** An operator looks; only the control plane changes anything. */
const READ_ONLY_METHODS: ReadonlySet<string> = new Set([
  "svc.agent.v1.AgentService/GetStatus",
  "svc.agent.v1.AgentService/WatchStatus",
  "svc.agent.v1.AgentService/WatchMetrics",
  "svc.agent.v1.AgentService/StreamLogs",
  "svc.agent.v1.AgentService/SearchLogs",
  "grpc.health.v1.Health/Check",
  "grpc.health.v1.Health/Watch",
  "grpc.health.v1.Health/List",
  "grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
  "grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
]);

/** Runs before a request's body is read. @throws ConnectError for a peer that may not call the method */
export function authorize(ctx: HandlerContext): void {
  const peer = ctx.values.get(peerKey);
  if (peer?.role === "control-plane") return;
  const method = `${ctx.service.typeName}/${ctx.method.name}`;
  if (peer?.role === "operator" && READ_ONLY_METHODS.has(method)) return;
  const who = peer ? `a certificate of role ${peer.role}` : "a connection without an identity";
  throw toConnectError(new SvcError("insufficient_scope", `${ctx.method.name} is not allowed with ${who}.`));
}
