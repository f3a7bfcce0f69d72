import { request } from "node:https";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { PROXY_NAME } from "@svc/shared/net/proxy-name.ts";
import { normalizeDialAddress } from "./routes.ts";
import { PROBE_ANSWER_HEADER, PROBE_HEADER } from "./caddy/caddy-config.ts";

/** Well beyond the proxy's retries, so that an app which restarts meanwhile is waited for. */
const PROOF_MS_MAX = 15_000;
/** One answer, the proxy's retries included. */
const ANSWER_MS_MAX = 12_000;
const PAUSE_MS = 50;

export interface Proof {
  host: string;
  httpsPort: number;
  /** Each `name:port` that the proxy may dial. */
  dialAddresses: readonly string[];
  /** Root of the proxy's internal authority, PEM. */
  caPem: string;
  probeSecret: string;
  signal: AbortSignal;
}

/**
 * Requests the host through the proxy until the container answers. The connection is made under the proxy's own name and
 * verified, so that a deploy does not hang on the host's certificate, which another authority may issue later. HEAD,
 * since the status does not matter and nobody reads a body.
 * @throws SvcError route_not_proven saying what was seen last; the signal's reason
 */
export async function proveRoute(proof: Proof): Promise<void> {
  const deadline = Date.now() + PROOF_MS_MAX;
  let seen = "nothing";
  while (Date.now() < deadline) {
    proof.signal.throwIfAborted();
    try {
      const answer = await probe(proof);
      if (answer.upstream !== undefined && proof.dialAddresses.includes(answer.upstream)) return;
      seen = answer.upstream === undefined ? `status ${answer.status} of the proxy itself` : "another container";
    } catch (error) {
      proof.signal.throwIfAborted();
      seen = error instanceof Error ? error.message : String(error);
    }
    await systemClock.sleep(PAUSE_MS, proof.signal);
  }
  throw new SvcError(
    "route_not_proven",
    `https://${proof.host} did not reach the new container through the proxy within ${PROOF_MS_MAX / 1000} s; ` +
      `seen last: ${seen}. Check that the app keeps accepting connections, then deploy again.`,
  );
}

function probe(proof: Proof): Promise<{ status: number | undefined; upstream: string | undefined }> {
  const { host, httpsPort, caPem, probeSecret, signal } = proof;
  return new Promise((resolve, reject) => {
    const req = request({
      host: "127.0.0.1",
      port: httpsPort,
      servername: PROXY_NAME,
      ca: caPem,
      method: "HEAD",
      path: "/",
      headers: {
        host: httpsPort === 443 ? host : `${host}:${httpsPort}`,
        "user-agent": "svc-probe",
        [PROBE_HEADER]: probeSecret,
      },
      agent: false,
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS_MAX)]),
    });
    req.on("error", reject);
    req.on("response", (res) => {
      res.resume();
      res.on("error", () => {});
      const upstream = res.headers[PROBE_ANSWER_HEADER.toLowerCase()];
      const dialled = typeof upstream === "string" ? normalizeDialAddress(upstream) : undefined;
      resolve({ status: res.statusCode, upstream: dialled });
      req.destroy();
    });
    req.end();
  });
}
