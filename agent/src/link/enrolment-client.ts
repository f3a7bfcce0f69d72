import { ConnectError, createClient, type Client } from "@connectrpc/connect";
import { createConnectTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { formatHostPort, type HostPort } from "@svc/shared/platform/env.ts";
import { isErrorCode, SvcError } from "@svc/shared/errors.ts";
import { EnrolmentService } from "@svc/shared/gen/svc/fleet/v1/enrolment_pb.ts";
import { ErrorDetailSchema } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import { controlPlaneTls } from "./control-plane-tls.ts";
import type { Identity } from "./identity.ts";

/** Signing a certificate takes under a second; a control plane that takes longer is overloaded and tried again. */
const TIMEOUT_MS = 20_000;

/** Calls EnrolmentService once over a connection of its own, which is closed afterwards. */
export async function callEnrolment<T>(
  controlPlane: HostPort,
  trust: { authorityPem: string; identity?: Identity },
  call: (client: Client<typeof EnrolmentService>, options: { timeoutMs: number }) => Promise<T>,
): Promise<T> {
  const baseUrl = `https://${formatHostPort(controlPlane)}`;
  const session = new Http2SessionManager(baseUrl, undefined, controlPlaneTls(trust.authorityPem, trust.identity));
  const transport = createConnectTransport({ baseUrl, httpVersion: "2", sessionManager: session });
  try {
    return await call(createClient(EnrolmentService, transport), { timeoutMs: TIMEOUT_MS });
  } catch (error) {
    throw fromEnrolmentError(error);
  } finally {
    session.abort();
  }
}

/** Turns a refusal of the control plane into its code and sentence; any other error stays as it is. */
function fromEnrolmentError(error: unknown): unknown {
  if (!(error instanceof ConnectError)) return error;
  const code = error.findDetails(ErrorDetailSchema)[0]?.code;
  return code !== undefined && isErrorCode(code) ? new SvcError(code, error.rawMessage, { cause: error }) : error;
}
