import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { StatusSchema, type Status } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";

/** @param status JSON as it is stored; a newer agent may tell more than this version knows */
export function parseStatus(status: Record<string, unknown>): Status {
  return fromJson(StatusSchema, status as JsonValue, { ignoreUnknownFields: true });
}
