import type { TLSSocket } from "node:tls";
import { createClient } from "@connectrpc/connect";
import { systemClock, type Clock } from "@svc/shared/platform/clock.ts";
import type { HostPort } from "@svc/shared/platform/env.ts";
import { AgentService } from "@svc/shared/gen/svc/agent/v1/agent_pb.ts";
import type { Logger } from "@svc/shared/platform/logger.ts";
import type { Db } from "../../platform/database/database.ts";
import { clearLinks, extendLinks, recordLink, type LinkHolder } from "./server-links.store.ts";
import { dialledServers, isRemovedHost, membersAmong, recordLeft } from "../servers.store.ts";
import { serveBundles } from "../bundle/serve-bundle.ts";
import type { AgentClient, AgentLinks, Notifications } from "../../ports.ts";
import { untilTime } from "./at-time.ts";
import type { Authority } from "../authority/authority.ts";
import { ControlPlaneCredentials } from "../authority/control-plane-credentials.ts";
import { dialTiming, keepDialling, refreshTime, type DialledServer, type DialTiming } from "./dialler.ts";
import { createEnrolmentHandler } from "../joining/enrolment.ts";
import { Hearings } from "./hearings.ts";
import { Link } from "./link.ts";
import { pingTiming, type PingTiming } from "./link-session.ts";
import { NewestLink } from "./newest-link.ts";
import { listenForAgents, type AgentListener } from "./listener.ts";
import { peerOf, type Peer } from "./peer.ts";
import { requireSameAuthority } from "../authority/require-same-authority.ts";
import { statusTiming, watchStatus, type StatusTiming, type StatusWatchOptions } from "./status-watch.ts";

export interface LinksTiming {
  /** How often the database is told that our links live, and asked whether their servers are still members. */
  heartbeatMs: number;
  /** How long other processes believe a heartbeat: three of them, so that one may be lost. */
  validMs: number;
  /** How long the calls on a connection that was replaced may go on: a build's log, not a follower's whole day. */
  retireMs: number;
  ping: PingTiming;
  dial: DialTiming;
  status: StatusTiming;
}

const linksTiming: LinksTiming = {
  heartbeatMs: 10_000,
  validMs: 30_000,
  retireMs: 10 * 60_000,
  ping: pingTiming,
  dial: dialTiming,
  status: statusTiming,
};

export interface LinksOptions {
  db: Db;
  authority: Authority;
  /** SVC_AGENTS_LISTEN; port 0 lets the system choose. */
  listen: HostPort;
  /** UUID of this control-plane process, new at each start. */
  processId: string;
  notifications: Notifications;
  log: Logger;
  clock?: Clock;
  timing?: Partial<LinksTiming>;
  /** Makes the reader of all that one agent tells of its apps. */
  createReader?: StatusWatchOptions["createReader"];
  /** Goes on with each link until it is retired, beside the reader. Never rejects. */
  follow?: (link: Link) => Promise<void>;
}

/** The agent writes one file. */
const DISMISSAL_MS_MAX = 5_000;
const REMOVED = "This server was removed from the fleet.";
const NO_MEMBER = "the server was removed, or another host has taken its place";
const readNothing: StatusWatchOptions["createReader"] = () => ({ read: () => Promise.resolve() });

/**
 * The agents that this process can call: those that dialled in, and those that it dials. Per server the newest
 * connection counts. Other processes learn of a link from the database, where a heartbeat keeps it true.
 */
export class Links implements AgentLinks {
  readonly #options: LinksOptions;
  readonly #clock: Clock;
  readonly #timing: LinksTiming;
  readonly #log: Logger;
  readonly #holder: LinkHolder;
  readonly #links = new Map<string, Link>();
  /** Retired ones too. */
  readonly #open = new Set<Link>();
  readonly #listeners = new Set<(serverId: string) => void>();
  readonly #diallers = new Map<string, { listenAddress: string; stop: AbortController }>();
  readonly #hearings = new Hearings();
  readonly #stopping = new AbortController();
  readonly #work = new Set<Promise<void>>();
  #credentials: ControlPlaneCredentials | undefined;
  #listener: AgentListener | undefined;
  #unsubscribe: () => void = () => undefined;
  #looking: Promise<void> | undefined;
  #lookAgain = false;

  constructor(options: LinksOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#timing = { ...linksTiming, ...options.timing };
    this.#log = options.log;
    this.#holder = { processId: options.processId, validMs: this.#timing.validMs };
  }

  /** Resolves when agents can connect. @throws SvcError when the fleet trusts another authority */
  async start(): Promise<void> {
    const { db, authority, listen, log } = this.#options;
    await requireSameAuthority(db, authority.fingerprint);
    this.#credentials = await ControlPlaneCredentials.issue(authority, log);
    this.#listener = await listenForAgents({
      listen,
      credentials: this.#credentials,
      enrolment: createEnrolmentHandler({ db, authority, log }),
      bundles: serveBundles({ db, log }),
      onLink: (socket) => void this.#accept(socket, peerOf(socket)),
      log,
    });
    this.#unsubscribe = this.#options.notifications.subscribe("servers", () => this.#look());
    this.#track(this.#beat());
    this.#track(this.#hearings.keepWritten({ db, clock: this.#clock, log }, this.#stopping.signal));
  }

  /** Ends every link; calls that are open fail with `agent_away`. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#unsubscribe();
    this.#credentials?.stop();
    for (const { stop } of this.#diallers.values()) stop.abort();
    const linked = this.linkedServers();
    for (const link of this.#open) link.close();
    await this.#listener?.close();
    await Promise.allSettled([...this.#work, this.#looking]);
    await clearLinks(this.#options.db, linked, this.#holder.processId).catch((error: unknown) => {
      this.#log.warn({ err: error }, "could not take back the links in the database; they expire by themselves");
    });
  }

  /** Where agents connect. @throws Error before `start` */
  get address(): HostPort {
    if (!this.#listener) throw new Error("the links have not been started");
    return this.#listener.address;
  }

  agent(serverId: string): AgentClient | undefined {
    if (!this.#links.has(serverId)) return undefined;
    return createClient(AgentService, new NewestLink(() => this.#links.get(serverId)?.transport));
  }

  linkedServers(): string[] {
    return [...this.#links.keys()];
  }

  onChange(listener: (serverId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /**
   * Makes a connection the server's link, once the database says that the server is a member.
   * Resolves when the connection is gone or of no use; never rejects.
   */
  async #accept(socket: TLSSocket, peer: Peer | undefined, expectedServerId?: string): Promise<void> {
    const isExpected = expectedServerId === undefined || peer?.identity.id === expectedServerId;
    if (peer?.identity.role !== "server" || !isExpected || this.#stopping.signal.aborted) {
      this.#log.warn({ identity: peer?.identity, remoteAddress: socket.remoteAddress }, "refused a link");
      socket.destroy();
      return;
    }
    // Wrapped before the question to the database: the agent's first bytes are already on their way.
    const link = new Link(socket, peer, this.#timing.ping);
    this.#open.add(link);
    const { serverId } = link;
    try {
      const members = await membersAmong(this.#options.db, [serverId]);
      if (!link.isOfMember(members)) {
        this.#log.warn({ serverId, remoteAddress: socket.remoteAddress }, `refused a link: ${NO_MEMBER}`);
        await this.#dismiss(link);
      } else if (this.#isOvertaken(link)) {
        link.close();
      } else {
        await this.#put(link, socket.remoteAddress);
      }
    } catch (error) {
      this.#log.error({ err: error, serverId }, "could not take an agent's link; it will try again");
      link.close();
    }
    await link.ended;
    this.#open.delete(link);
    this.#drop(link);
  }

  /** True for a link that ended, or whose successor was accepted first. */
  #isOvertaken(link: Link): boolean {
    const current = this.#links.get(link.serverId);
    return link.retired.aborted || (current !== undefined && current.openedAt > link.openedAt);
  }

  async #put(link: Link, remoteAddress: string | undefined): Promise<void> {
    const { serverId } = link;
    const previous = this.#links.get(serverId);
    this.#links.set(serverId, link);
    previous?.retire(this.#timing.retireMs);
    this.#log.info({ serverId, remoteAddress, replaced: previous !== undefined }, "link up");
    this.#tell(serverId);
    const { db, log, createReader = readNothing, follow } = this.#options;
    const [clock, timing, hearings] = [this.#clock, this.#timing.status, this.#hearings];
    this.#track(watchStatus({ link, db, clock, log, timing, hearings, createReader }));
    if (follow) this.#track(follow(link));
    // A listener for both families shows an IPv4 address as one of IPv6.
    const address = remoteAddress?.replace(/^::ffff:/, "");
    await recordLink(db, serverId, this.#holder, link.certificateUntil, address);
  }

  #drop(link: Link): void {
    const { serverId } = link;
    if (this.#links.get(serverId) !== link) return;
    this.#links.delete(serverId);
    this.#log.info({ serverId }, "link down");
    this.#tell(serverId);
    if (this.#stopping.signal.aborted) return;
    const clearing = clearLinks(this.#options.db, [serverId], this.#holder.processId).catch((error: unknown) => {
      this.#log.warn({ err: error, serverId }, "could not take back the link in the database; it expires by itself");
    });
    this.#track(clearing);
  }

  #tell(serverId: string): void {
    for (const listener of this.#listeners) {
      try {
        listener(serverId);
      } catch (error) {
        this.#log.error({ err: error }, "a listener of links failed");
      }
    }
  }

  async #beat(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#look();
      await this.#clock.sleep(this.#timing.heartbeatMs, signal).catch(() => undefined);
    }
  }

  /** Compares what we hold with what the database says; one look at a time, and one more if asked meanwhile. */
  #look(): void {
    this.#lookAgain = true;
    this.#looking ??= this.#lookWhileAsked().finally(() => (this.#looking = undefined));
  }

  async #lookWhileAsked(): Promise<void> {
    while (this.#lookAgain && !this.#stopping.signal.aborted) {
      this.#lookAgain = false;
      try {
        await this.#closeRemoved();
        await extendLinks(this.#options.db, this.linkedServers(), this.#holder);
        this.#matchDiallers(await dialledServers(this.#options.db));
      } catch (error) {
        this.#log.warn({ err: error }, "could not compare the links with the database; the links go on");
      }
    }
  }

  async #closeRemoved(): Promise<void> {
    const open = [...this.#open];
    const ids = new Set(open.map(({ serverId }) => serverId));
    const members = await membersAmong(this.#options.db, [...ids]);
    const strangers = open.filter((each) => !each.isOfMember(members));
    for (const link of strangers) {
      this.#log.info({ serverId: link.serverId }, `closing the link: ${NO_MEMBER}`);
      // Nobody else calls over it meanwhile.
      this.#drop(link);
    }
    await Promise.all(strangers.map((link) => this.#dismiss(link)));
  }

  /** Ends the link; the agent of a removed server is told so before, that it stops what serves there. */
  async #dismiss(link: Link): Promise<void> {
    const { db } = this.#options;
    const { serverId } = link;
    try {
      if (!(await isRemovedHost(db, serverId, link.hostKey))) return;
      await link.client.leaveFleet({ reason: REMOVED }, { timeoutMs: DISMISSAL_MS_MAX });
      await recordLeft(db, serverId);
      this.#log.info({ serverId }, "the agent of a removed server stops what serves there, and ends");
    } catch (error) {
      this.#log.warn({ err: error, serverId }, "the agent of a removed server does not know of it yet");
    } finally {
      link.close();
    }
  }

  #matchDiallers(servers: readonly DialledServer[]): void {
    const wanted = new Map(servers.map((server) => [server.id, server]));
    for (const [id, dialler] of this.#diallers) {
      if (wanted.get(id)?.listenAddress === dialler.listenAddress) continue;
      dialler.stop.abort();
      this.#diallers.delete(id);
    }
    for (const server of servers) {
      if (!this.#diallers.has(server.id)) this.#dial(server);
    }
  }

  #dial(server: DialledServer): void {
    const credentials = this.#credentials;
    if (!credentials || this.#stopping.signal.aborted) return;
    const stop = new AbortController();
    this.#diallers.set(server.id, { listenAddress: server.listenAddress, stop });
    const options = {
      server,
      credentials,
      clock: this.#clock,
      log: this.#log,
      timing: this.#timing.dial,
      onConnected: (socket: TLSSocket) => {
        const peer = peerOf(socket);
        const refreshAt = refreshTime(credentials.notAfter, peer?.notAfter);
        const accepted = this.#accept(socket, peer, server.id);
        return Promise.race([accepted, untilTime(refreshAt, accepted)]);
      },
    };
    this.#track(keepDialling(options, stop.signal));
  }

  #track(work: Promise<void>): void {
    this.#work.add(work);
    void work.finally(() => this.#work.delete(work));
  }
}
