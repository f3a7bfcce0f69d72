import { X509Certificate } from "node:crypto";
import { TLSSocket } from "node:tls";
import {
  ConnectError,
  createContextKey,
  createContextValues,
  type ConnectRouter,
  type Interceptor,
} from "@connectrpc/connect";
import { toConnectError } from "@svc/shared/platform/connect-errors.ts";
import { formatHostPort, parseHostPort } from "@svc/shared/platform/env.ts";
import { SvcError, toSvcError } from "@svc/shared/errors.ts";
import { EnrolmentService } from "@svc/shared/gen/svc/fleet/v1/enrolment_pb.ts";
import type {
  JoinRequest,
  JoinResponse,
  RenewRequest,
  RenewResponse,
} from "@svc/shared/gen/svc/fleet/v1/enrolment_pb.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import { createRpcHandler, type RpcHandler } from "@svc/shared/platform/rpc-handler.ts";
import { insertAudit } from "../../platform/audit.store.ts";
import { inTransaction, type Db } from "../../platform/database/database.ts";
import { admitHost, claimJoinToken, notifyServers, updateAgentFacts, type AgentFacts } from "../servers.store.ts";
import type { Authority } from "../authority/authority.ts";
import { hostKeyOf } from "../authority/certificates.ts";
import { joinTokenHash, joinTokenInvalid } from "./join-token.ts";
import { peerOf, type Peer } from "../links/peer.ts";

export interface EnrolmentContext {
  db: Db;
  authority: Authority;
  log: Logger;
}

/** A request holds a token and a signing request: some 2 KB. */
const REQUEST_BYTES_MAX = 64 * 1024;

/** EnrolmentService as a request handler for an HTTP/2 server whose connections are TLS sockets. */
export function createEnrolmentHandler(context: EnrolmentContext): RpcHandler {
  const options: Parameters<typeof createRpcHandler>[0] = {
    routes: (router: ConnectRouter) => {
      router.service(EnrolmentService, {
        join: (request, { values }) => join(context, request, values.get(callerKey).remoteAddress),
        renew: (request, { values }) => renew(context, request, values.get(callerKey)),
      });
    },
    contextValues: (request) => {
      const socket = "stream" in request ? request.stream.session?.socket : undefined;
      return createContextValues().set(callerKey, socket instanceof TLSSocket ? callerOn(socket) : nobody);
    },
    interceptors: [reportErrors(context.log)],
    readMaxBytes: REQUEST_BYTES_MAX,
    acceptCompression: [],
  };
  return createRpcHandler(options, context.log);
}

/**
 * One transaction: the token is used up, the server becomes a member and the act is on record, or nothing of it
 * happened. Whatever fails after the claim, a bad signing request or our own death, gives the token back.
 * @throws SvcError join_token_invalid, invalid_request
 */
async function join(
  { db, authority, log }: EnrolmentContext,
  request: JoinRequest,
  remoteAddress: string | undefined,
): Promise<Omit<JoinResponse, "$typeName">> {
  const hash = joinTokenHash(request.token);
  const facts = factsOf(request, remoteAddress);
  const joined = await inTransaction(db, async (tx) => {
    const serverId = await claimJoinToken(tx, hash);
    if (!serverId) throw joinTokenInvalid();
    if (request.serverId !== "" && request.serverId !== serverId) throw otherServer(request.serverId);
    const certificatePem = await authority.signServer(request.csrPem, {
      id: serverId,
      listenAddress: facts.listenAddress ?? undefined,
    });
    const server = await admitHost(tx, serverId, hostKeyOf(new X509Certificate(certificatePem)), facts);
    if (!server) throw joinTokenInvalid();
    const target = `server:${serverId}`;
    const action = server.isFirst ? "server.join" : "server.rejoin";
    await insertAudit(tx, { actor: target, action, target, requestId: null });
    await notifyServers(tx, serverId);
    return { serverId, serverName: server.name, certificatePem };
  });
  log.info({ serverId: joined.serverId, server: joined.serverName, ...facts }, "a server joined the fleet");
  return { ...joined, authorityPem: authority.certificatePem };
}

/** @throws SvcError unauthorized, server_removed, invalid_request */
async function renew(
  { db, authority, log }: EnrolmentContext,
  request: RenewRequest,
  { peer, remoteAddress }: Caller,
): Promise<Omit<RenewResponse, "$typeName">> {
  if (peer?.identity.role !== "server") throw certificateNeeded();
  const serverId = peer.identity.id;
  const facts = factsOf(request, remoteAddress);
  const server = await updateAgentFacts(db, serverId, peer.hostKey, facts);
  if (!server) throw serverRemoved();
  const listenAddress = facts.listenAddress ?? undefined;
  const certificatePem = await authority.signServer(request.csrPem, { id: serverId, listenAddress });
  if (!hostKeyOf(new X509Certificate(certificatePem)).equals(peer.hostKey)) throw otherKey();
  await notifyServers(db, serverId);
  log.info({ serverId, server: server.name, ...facts }, "a server's certificate was renewed");
  return { certificatePem, authorityPem: authority.certificatePem };
}

interface Caller {
  peer: Peer | undefined;
  remoteAddress: string | undefined;
}

const nobody: Caller = { peer: undefined, remoteAddress: undefined };
const callerKey = createContextKey<Caller>(nobody);

function callerOn(socket: TLSSocket): Caller {
  return { peer: peerOf(socket), remoteAddress: socket.remoteAddress?.replace(/^::ffff:/, "") };
}

/** An agent's version is stored and shown, so it is no longer than a version needs. */
const VERSION_LENGTH_MAX = 64;

function factsOf(request: JoinRequest | RenewRequest, remoteAddress: string | undefined): AgentFacts {
  return {
    listenAddress: request.listenAddress === "" ? null : dialledAddress(request.listenAddress, remoteAddress),
    agentVersion: request.agentVersion.slice(0, VERSION_LENGTH_MAX),
  };
}

/** An agent that listens on every address of its host is dialled on the one that it called from. */
function dialledAddress(listenAddress: string, remoteAddress: string | undefined): string {
  const address = parseHostPort(listenAddress);
  if (!address || address.port === 0) {
    throw new SvcError(
      "invalid_request",
      `The listen address is ${JSON.stringify(listenAddress)}; allowed is host:port, such as 192.0.2.7:9443.`,
    );
  }
  const isEveryAddress = address.host === "0.0.0.0" || address.host === "::";
  return formatHostPort(isEveryAddress && remoteAddress ? { ...address, host: remoteAddress } : address);
}

function certificateNeeded(): SvcError {
  return new SvcError(
    "unauthorized",
    "Renewing a certificate needs a valid one of a server. When it has expired, make a token on the control " +
      "plane with `npm run admin -- server token --for NAME` and start the agent with it.",
  );
}

function otherKey(): SvcError {
  return new SvcError(
    "invalid_request",
    "The request to renew is for another key than the host has; renewals keep it.",
  );
}

function otherServer(id: string): SvcError {
  return new SvcError(
    "join_token_invalid",
    `The join token is for another server; this host is ${id}, as \`server list --json\` shows it. Make a token for that ` +
      "one with `npm run admin -- server token --for NAME`; this one stays valid.",
  );
}

function serverRemoved(): SvcError {
  return new SvcError(
    "server_removed",
    "This server was removed from the fleet, or another host has taken its place. To use the host again, make a token on " +
      "the control plane with `npm run admin -- server token` and start the agent with it and an empty data directory.",
  );
}

function reportErrors(log: Logger): Interceptor {
  return (next) => async (request) => {
    try {
      return await next(request);
    } catch (error) {
      // Connect's own refusal, of a request that it cannot read.
      if (error instanceof ConnectError) throw error;
      const { code } = toSvcError(error);
      if (code === "internal") log.error({ err: error, method: request.method.name }, "an enrolment call failed");
      else log.warn({ code, method: request.method.name }, "an enrolment call was refused");
      throw toConnectError(error);
    }
  };
}
