import type { Clock } from "@svc/shared/platform/clock.ts";
import type { HostPort } from "@svc/shared/platform/env.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { AGENT_VERSION } from "../platform/version.ts";
import { loadIdentity, saveCertificate, saveIdentity, type Identity } from "./identity.ts";
import { joinFleet } from "./join.ts";

interface Host {
  controlPlane: HostPort;
  listen: HostPort | undefined;
  joinToken: string | undefined;
  dataDirectory: string;
}

interface Parts {
  clock: Clock;
  log: Logger;
  signal: AbortSignal;
}

/**
 * Finds the agent's identity in the fleet: its former one, or a new one by its join token. With an expired certificate
 * and no token the apps are looked after meanwhile.
 * @throws SvcError join_token_invalid, and those of joining
 */
export async function identify(host: Host, { clock, log, signal }: Parts): Promise<Identity> {
  const known = await loadIdentity(host.dataDirectory);
  if (known && known.notAfter > clock.now()) return known;
  const { controlPlane, listen, joinToken: token, dataDirectory } = host;
  if (token === undefined) return known ? withoutFleet(known, log) : neverJoined();
  const facts = { controlPlane, listen, version: AGENT_VERSION, former: known };
  const identity = await joinFleet({ ...facts, token, clock, log, signal });
  await (known ? saveCertificate(dataDirectory, identity) : saveIdentity(dataDirectory, identity));
  log.info({ server: identity.serverName, serverId: identity.serverId }, "joined the fleet");
  return identity;
}

function withoutFleet(expired: Identity, log: Logger): Identity {
  const { serverName, notAfter } = expired;
  const advice = `make a token on the control plane with \`npm run admin -- server token --for ${serverName}\``;
  log.error({ notAfter }, `The agent's certificate has expired: ${advice} and start the agent with SVC_JOIN_TOKEN.`);
  return expired;
}

/** @throws SvcError */
function neverJoined(): never {
  const advice = "make a token on the control plane with `npm run admin -- server token` and set SVC_JOIN_TOKEN";
  throw new SvcError(
    "join_token_invalid",
    `This agent has not joined a fleet yet: ${advice}. A host that was a server before takes one with \`--for NAME\`.`,
  );
}
