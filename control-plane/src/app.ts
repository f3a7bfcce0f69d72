import { readFile } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { systemClock, type Clock } from "@svc/shared/platform/clock.ts";
import { formatHostPort, type HostPort } from "@svc/shared/platform/env.ts";
import { SvcError } from "@svc/shared/errors.ts";
import { createLogger, type Logger } from "@svc/shared/platform/logger.ts";
import { createGuardedFetch } from "@svc/shared/net/guarded-fetch.ts";
import { Redactors } from "@svc/shared/redaction/redactors.ts";
import { baseUrlOf, type Config } from "./config.ts";
import { openDatabase } from "./platform/database/database.ts";
import { claimEmbedded } from "./platform/database/embedded/claim.ts";
import { migrate } from "./platform/database/migrate.ts";
import { startNotifications } from "./platform/database/notifications.ts";
import { checkCertificates } from "./fleet/authority/pem-certificates.ts";
import { startMailer } from "./accounts/mail/mailer.ts";
import { createIdentity } from "./accounts/identity/identity.ts";
import { tierOf } from "./accounts/tier.ts";
import { createCertificatePolicy } from "./domains/certificate-policy.ts";
import { createDomainChecks } from "./domains/check-domains.ts";
import { startDomainWatch } from "./domains/domain-watch.ts";
import { createHostSync, startHostReconciler } from "./domains/host-sync.ts";
import { startPolicyKeeper } from "./domains/policy-keeper.ts";
import { isPublicSuffix } from "./domains/public-suffix.ts";
import { openAuthority } from "./fleet/authority/open-authority.ts";
import { Links, type LinksTiming } from "./fleet/links/links.ts";
import { loadTemplates } from "./apps/templates/load-templates.ts";
import { openHosting } from "./repositories/hosting/hosting.ts";
import { listen } from "./api/listener.ts";
import { createMetrics } from "./api/metrics.ts";
import { listenForMetrics } from "./api/metrics-listener.ts";
import { createApi } from "./api/server.ts";
import { startJanitor } from "./deploys/events/janitor.ts";
import { pipelineTiming, type PipelineTiming } from "./deploys/pipeline/context.ts";
import { startRemovals } from "./apps/removal/removals.ts";
import { createDispatcher } from "./deploys/pipeline/dispatcher.ts";
import { recordTakenBack } from "./deploys/releases/record-taken-back.ts";
import { startPushDeployer } from "./deploys/pushes/push-deployer.ts";
import { startUpgrades } from "./fleet/upgrades/upgrades.ts";
import { startEvacuations } from "./lifecycle/evacuation/evacuations.ts";
import { startRepositoryKeeper } from "./repositories/repository-keeper.ts";
import { watchMetrics } from "./metrics/metrics-watch.ts";
import { createStatusReader } from "./observed/status-reader.ts";
import { openKeyRing } from "./secrets/open-key-ring.ts";
import { startDeliverer, webhookTiming, type WebhookTiming } from "./webhooks/deliverer.ts";

/** Parts that a test may put in the place of the real ones. */
export interface Overrides {
  clock?: Clock;
  log?: Logger;
  linksTiming?: Partial<LinksTiming>;
  pipelineTiming?: Partial<PipelineTiming>;
  webhookTiming?: Partial<WebhookTiming>;
}

export interface ControlPlane {
  /** Resolves when it is ready and listens. @throws SvcError, EnvError with a sentence for whoever starts it */
  start(): Promise<void>;
  /** Finishes requests and hands running deploys to other processes, within 30 s. */
  stop(): Promise<void>;
  /** Where the API listens, once started. */
  readonly address: HostPort;
  /** Where agents connect, once started. */
  readonly agentsAddress: HostPort;
  /** Where `GET /metrics` is, once started. */
  readonly metricsAddress: HostPort;
}

/** A part that has been started, and ends with `stop`. */
interface Part {
  name: string;
  stop(): Promise<void>;
}

/** The only place where the parts of a control plane meet. */
export function create(config: Config, overrides: Overrides = {}): ControlPlane {
  const clock = overrides.clock ?? systemClock;
  const log = overrides.log ?? createLogger({ name: "control-plane" });
  const closing = new AbortController();
  /** Parts that have been started, to be stopped in the reverse order. */
  const started: Part[] = [];
  let starting: Promise<void> | undefined;
  let address: HostPort | undefined;
  let agentsAddress: HostPort | undefined;
  let metricsAddress: HostPort | undefined;

  async function start(): Promise<void> {
    for (const name of config.unknownVariables) log.warn({ variable: name }, "unknown variable: a typing error?");
    const processId = randomUUID();
    const url = config.databaseUrl ?? (await startEmbedded());
    await migrate(url, log);
    const db = openDatabase({ url, log });
    started.push({ name: "database", stop: () => db.destroy() });
    const keyRing = await openKeyRing(db, config.masterKeyFile);
    const notifications = await startNotifications({ url, processId, clock, log });
    started.push({ name: "notifications", stop: () => notifications.stop() });

    const redactors = new Redactors();
    const fleetLog = log.child({ part: "fleet" });
    const readerParts = {
      db,
      clock,
      log: fleetLog,
      appsAddress: config,
      recordTakenBack: recordTakenBack.bind(undefined, { db, keyRing, redactors, address: config }),
    };
    const authority = await openAuthority(db, config.dataDirectory, { clock });
    const links = new Links({
      db,
      authority,
      listen: config.agentsListen,
      processId,
      notifications,
      clock,
      log: fleetLog,
      createReader: createStatusReader.bind(undefined, readerParts),
      follow: watchMetrics.bind(undefined, readerParts),
      ...(overrides.linksTiming && { timing: overrides.linksTiming }),
    });
    await links.start();
    started.push({ name: "links", stop: () => links.stop() });

    const outboundCaPem = await readCa("SVC_OUTBOUND_CA_FILE", config.outbound.caFile);
    const outbound = createGuardedFetch({
      allowCidrs: config.outbound.allowCidrs,
      caPem: outboundCaPem,
      dnsServers: config.dnsServers,
    });
    const baseUrl = baseUrlOf(config, config.listen);
    const hosting = await openHosting({ db, keyRing, clock, baseUrl, dataDirectory: config.dataDirectory });
    const templates = await loadTemplates(config.templatesDirectory);
    const policy = {
      appsDomain: config.appsDomain,
      appsHttpsPort: config.appsHttpsPort,
      outboundAllowCidrs: config.outbound.allowCidrs,
      outboundCaPem,
      dnsServers: config.dnsServers,
      deployKeyHosts: config.deployKeyHosts,
      limitsOf: (tier: string) => tierOf(config.tiers, tier),
    };
    const acmeCaPem = await readCa("SVC_ACME_CA_FILE", config.acme.caFile);
    const domainChecks = createDomainChecks({
      dnsServers: config.dnsServers,
      outbound,
      caPem: acmeCaPem,
      httpsPort: config.appsHttpsPort,
    });
    const hostParts = { db, links, appsDomain: config.appsDomain, log: log.child({ part: "domains" }) };
    const hosts = createHostSync(hostParts);
    const certificatePolicy = createCertificatePolicy({
      acme: { ...config.acme, caPem: acmeCaPem },
      own: config.appsCertificate,
    });
    // Files that can't be read stop the start.
    await certificatePolicy();
    started.push(startPolicyKeeper({ links, policy: certificatePolicy, clock, log: hostParts.log }));
    started.push(startHostReconciler({ ...hostParts, sync: hosts, notifications }));
    started.push(startDomainWatch({ ...hostParts, checks: domainChecks, sync: hosts, notifications, clock }));
    started.push(startRemovals({ db, links, clock, log: log.child({ part: "removals" }) }));
    const dispatcher = createDispatcher({
      db,
      links,
      notifications,
      keyRing,
      redactors,
      hosting,
      clock,
      log: log.child({ part: "pipeline" }),
      processId,
      policy,
      timing: { ...pipelineTiming, ...overrides.pipelineTiming },
    });
    const identity = createIdentity({
      db,
      keyRing,
      clock,
      log: log.child({ part: "people" }),
      get baseUrl() {
        return baseUrlOf(config, address ?? config.listen);
      },
      signUp: config.signUp,
      oidc: {
        providers: config.oidcProviders,
        toIssuer: createGuardedFetch({
          allowCidrs: EVERYWHERE,
          caPem: outboundCaPem,
          dnsServers: config.dnsServers,
        }),
        toOthers: outbound,
      },
    });
    started.push({ name: "mails to people", stop: () => identity.settled() });
    /** All that works with what was started before: it stops at the same time, since each part may take a while. */
    const working: Part[] = [];
    started.push({ name: "callers", stop: async () => void (await Promise.all(working.map(stopPart))) });
    dispatcher.start();
    working.push({ name: "dispatcher", stop: () => dispatcher.stop() });
    working.push(
      startDeliverer({
        db,
        outbound,
        keyRing,
        notifications,
        clock,
        log: log.child({ part: "webhooks" }),
        timing: { ...webhookTiming, ...overrides.webhookTiming },
      }),
    );
    working.push(
      startMailer({
        db,
        keyRing,
        notifications,
        clock,
        log: log.child({ part: "mail" }),
        baseUrl,
        smtpUrl: config.smtpUrl,
        dataDirectory: config.dataDirectory,
      }),
    );
    working.push(startJanitor({ db, clock, log }));
    working.push(startRepositoryKeeper({ hosting, clock, log: log.child({ part: "git" }) }));

    const parts = {
      db,
      clock,
      keyRing,
      redactors,
      links,
      hosting,
      templates,
      outbound,
      domainChecks,
      hosts,
      notifications,
      platform: {
        appsDomain: config.appsDomain,
        appsHttpsPort: config.appsHttpsPort,
        tiers: config.tiers,
        sendsMail: config.smtpUrl !== undefined,
        deployKeyHosts: config.deployKeyHosts,
        pipeline: policy,
        domainRules: { appsDomain: config.appsDomain, baseHost: new URL(baseUrl).hostname, isPublicSuffix },
      },
    };
    working.push(startUpgrades({ db, links, notifications, clock, log: log.child({ part: "upgrades" }) }));
    working.push(startEvacuations({ ...parts, log: log.child({ part: "evacuations" }) }));
    working.push(startPushDeployer({ ...parts, log: log.child({ part: "git" }) }));
    const metrics = createMetrics({ db, links });
    const metricsLog = log.child({ part: "metrics" });
    const metricsListener = await listenForMetrics(metrics, { address: config.metricsListen, log: metricsLog });
    started.push({ name: "metrics", stop: () => metricsListener.close() });
    metricsAddress = metricsListener.address;
    const api = createApi({
      ...parts,
      identity,
      joining: { authorityFingerprint: authority.fingerprint, agentsAddress: links.address },
      metrics,
      model: config.model,
      log: log.child({ part: "http" }),
      // The port is known once it listens, before the first request.
      get baseUrl() {
        return baseUrlOf(config, address ?? config.listen);
      },
      closing: closing.signal,
    });
    const listener = await listen(api, { address: config.listen, tls: config.tls, log: log.child({ part: "http" }) });
    working.push({ name: "api", stop: () => listener.close() });
    address = listener.address;
    agentsAddress = links.address;
    log.info({ api: baseUrlOf(config, address), agents: formatHostPort(agentsAddress) }, "ready");
  }

  /** Loaded only where it is used. */
  async function startEmbedded(): Promise<string> {
    started.push({ name: "claim of the data directory", stop: await claimEmbedded(config.dataDirectory) });
    const { startSupervisedPostgres } = await import("./platform/database/embedded/supervisor.ts");
    const server = await startSupervisedPostgres({ directory: join(config.dataDirectory, "postgres"), clock, log });
    started.push({ name: "embedded PostgreSQL", stop: () => server.stop() });
    return server.url;
  }

  async function stopAll(): Promise<void> {
    closing.abort();
    for (const part of started.splice(0).reverse()) await stopPart(part);
  }

  async function stopPart({ name, stop }: Part): Promise<void> {
    await stop().catch((error: unknown) => log.error({ err: error, part: name }, "did not stop as it should"));
  }

  return {
    async start() {
      starting = start();
      await starting.catch(async (error: unknown) => {
        await stopAll();
        throw error;
      });
    },
    async stop() {
      // A part that is being started can be stopped only when it has been.
      await starting?.catch(() => undefined);
      await stopAll();
    },
    get address() {
      return known(address);
    },
    get agentsAddress() {
      return known(agentsAddress);
    },
    get metricsAddress() {
      return known(metricsAddress);
    },
  };
}

/** For addresses that the operator has named. */
const EVERYWHERE = ["0.0.0.0/0", "::/0"];

function known(address: HostPort | undefined): HostPort {
  if (!address) throw new Error("the control plane has not been started");
  return address;
}

async function readCa(variable: string, file: string | undefined): Promise<string> {
  if (file === undefined) return "";
  try {
    const pem = await readFile(file, "utf8");
    checkCertificates(pem);
    return pem;
  } catch (cause) {
    const { message } = cause as Error;
    throw new SvcError("internal", `${variable} is ${file}, which can't be used: ${message}.`, { cause });
  }
}
