import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeServerCertificates } from "./certificates.ts";
import { eventually } from "../tools/eventually.ts";
import { freePort } from "../tools/free-ports.ts";

export interface Pebble {
  /** As SVC_ACME_DIRECTORY takes it. */
  directory: string;
  /** The authority of the directory's own certificate, PEM. */
  directoryCaPem: string;
  /** The root of the issued certificates, PEM; another one after each start. */
  rootPem: string;
  /** The signing certificate, PEM: it is in the chain of each certificate. */
  intermediatePem: string;
  /** As SVC_DNS_SERVERS takes it: the challenge test server, which pebble asks as well. */
  dnsServer: string;
  /** Names whose challenges it looked at, in that order. */
  validated(): string[];
  /** Orders made so far. */
  orderCount(): number;
  /** Sets what public DNS answers: addresses (none: NODATA), a TXT record, or a failure. */
  setAddresses(host: string, addresses: readonly string[]): Promise<void>;
  setTxt(host: string, value: string): Promise<void>;
  clearTxt(host: string): Promise<void>;
  setServfail(host: string): Promise<void>;
  clearServfail(host: string): Promise<void>;
  /** Ends the authority, not its name server. */
  end(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface PebbleOptions {
  /** Where it looks for the challenges of the proxy under test. */
  httpPort: number;
  httpsPort: number;
  /** The life of the issued certificates; years unless given. */
  lifeSeconds?: number;
  /** Variables of pebble's own, such as PEBBLE_WFE_NONCEREJECT. */
  env?: Record<string, string>;
}

/** An ACME authority on loopback with a name server that both it and the platform ask. No name has an address at first. */
export async function startPebble({ httpPort, httpsPort, lifeSeconds, env = {} }: PebbleOptions): Promise<Pebble> {
  const folder = mkdtempSync(join(tmpdir(), "svc-pebble-"));
  const [acme, management, dns, dnsManagement] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const certificates = makeServerCertificates();
  writeFileSync(join(folder, "cert.pem"), certificates.cert);
  writeFileSync(join(folder, "key.pem"), certificates.key);
  const config = {
    pebble: {
      listenAddress: `127.0.0.1:${acme}`,
      managementListenAddress: `127.0.0.1:${management}`,
      certificate: join(folder, "cert.pem"),
      privateKey: join(folder, "key.pem"),
      httpPort,
      tlsPort: httpsPort,
      ocspResponderURL: "",
      externalAccountBindingRequired: false,
      ...(lifeSeconds !== undefined && { certificateValidityPeriod: lifeSeconds }),
    },
  };
  writeFileSync(join(folder, "config.json"), JSON.stringify(config));
  const log = join(folder, "pebble.log");
  const read = (): string => readFileSync(log, "utf8");
  const running: ChildProcess[] = [];

  function run(program: string, args: string[]): ChildProcess {
    // No pauses, and no challenge that is taken for granted: what it issues it has checked.
    const child = spawn(program, args, {
      env: { PATH: process.env["PATH"], PEBBLE_VA_NOSLEEP: "1", PEBBLE_WFE_NONCEREJECT: "0", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const output of [child.stdout, child.stderr]) output.pipe(createWriteStream(log, { flags: "a" }));
    running.push(child);
    return child;
  }

  async function set(path: string, body: object): Promise<void> {
    const response = await fetch(`http://127.0.0.1:${dnsManagement}/${path}`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`challenge test server: ${path} ${response.status}`);
  }

  let pebble: ChildProcess | undefined;
  const result: Pebble = {
    directory: `https://127.0.0.1:${acme}/dir`,
    directoryCaPem: certificates.caPem,
    rootPem: "",
    intermediatePem: "",
    dnsServer: `127.0.0.1:${dns}`,
    validated: () => [...read().matchAll(/Identifier\{Type:"dns", Value:"([^"]+)"/g)].map((match) => match[1]!),
    orderCount: () => [...read().matchAll(/Added order /g)].length,
    setAddresses: async (host, addresses) => {
      await set("clear-a", { host });
      if (addresses.length > 0) await set("add-a", { host, addresses });
    },
    setTxt: (host, value) => set("set-txt", { host: `${host}.`, value }),
    clearTxt: (host) => set("clear-txt", { host: `${host}.` }),
    setServfail: (host) => set("set-servfail", { host }),
    clearServfail: (host) => set("clear-servfail", { host }),
    async end() {
      if (!pebble) return;
      await ended(pebble);
      pebble = undefined;
    },
    async start() {
      pebble = run("pebble", ["-config", join(folder, "config.json"), "-dnsserver", `127.0.0.1:${dns}`]);
      const base = `https://127.0.0.1:${management}`;
      result.rootPem = await eventually(
        () => get(`${base}/roots/0`, certificates.caPem).catch(() => ""),
        (text) => text.includes("BEGIN CERTIFICATE"),
        { what: "pebble answers", deadlineMs: 20_000 },
      );
      result.intermediatePem = await get(`${base}/intermediates/0`, certificates.caPem);
    },
    async stop() {
      for (const child of running) await ended(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };

  run("pebble-challtestsrv", [
    `-defaultIPv4=`,
    `-defaultIPv6=`,
    `-dns01=127.0.0.1:${dns}`,
    `-management=127.0.0.1:${dnsManagement}`,
    ...["http01", "https01", "tlsalpn01"].map((name) => `-${name}=`),
  ]);
  try {
    await eventually(
      () =>
        set("clear-a", { host: "ready.test" }).then(
          () => true,
          () => false,
        ),
      Boolean,
      { what: "the challenge test server answers" },
    );
    await result.start();
  } catch (error) {
    await result.stop();
    throw error;
  }
  return result;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

function get(url: string, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const req = request(url, { ca, agent: false }, (res) => {
      let text = "";
      res.setEncoding("utf8");
      res.on("data", (chunk: string) => (text += chunk));
      res.on("end", () => resolve(text));
    });
    req.on("error", reject);
    req.end();
  });
}
