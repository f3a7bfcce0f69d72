import { existsSync, readFileSync } from "node:fs";
import { request } from "node:https";
import { retry } from "@svc/shared/platform/until.ts";
import { z } from "zod";
import { SetupError } from "../../setup/terminal.mjs";
import { appUrl, internalCaFile, type Installation } from "../installation.ts";

const POLL_MS = 200;

/** The first certificate of a name is made when it is first asked for. */
const READY_MS_MAX = 30_000;
const REQUEST_MS_MAX = 10_000;

/** Each request is a visit, and writes a row. */
const Visit = z.object({ id: z.number(), visits: z.number(), latest: z.array(z.object({ id: z.number() })) });

/**
 * Fetches the hello sample over HTTPS under its own name, its certificate verified against the proxy's authority alone,
 * and has it write a row into its database and read it back.
 * @returns how many visits the database counts
 * @throws SetupError
 */
export async function visitHello(installation: Installation, name: string): Promise<number> {
  const tries = { mayPass: () => true, pauseMs: POLL_MS, msMax: READY_MS_MAX };
  return retry(() => visit(installation, name), tries).catch((error: unknown) => {
    throw unreachable(installation, name, error);
  });
}

async function visit(installation: Installation, name: string): Promise<number> {
  const read = async (): Promise<z.infer<typeof Visit>> =>
    Visit.parse(JSON.parse(await fetchApp(installation, name, "/api/visits")));
  const first = await read();
  const second = await read();
  if (!second.latest.some(({ id }) => id === first.id))
    throw new Error(`row ${first.id} was written but not read back`);
  const page = await fetchApp(installation, name, "/");
  if (!page.includes("<html")) throw new Error("the page is not HTML");
  return second.visits;
}

/** Connects to loopback, since not every resolver knows `*.localhost`; name and certificate are the app's own. */
function fetchApp(installation: Installation, name: string, path: string): Promise<string> {
  const caFile = internalCaFile(installation);
  if (!existsSync(caFile)) return Promise.reject(new Error(`the agent has not written ${caFile} yet`));
  const { host, hostname } = new URL(appUrl(installation, name));
  return new Promise((resolve, reject) => {
    const req = request(
      {
        host: "127.0.0.1",
        port: installation.httpsPort,
        servername: hostname,
        headers: { host },
        ca: readFileSync(caFile),
        path,
        agent: false,
        timeout: REQUEST_MS_MAX,
      },
      (res) => {
        let text = "";
        res.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        res.on("end", () => {
          if (res.statusCode === 200) resolve(text);
          else reject(new Error(`GET ${path} was answered ${res.statusCode}: ${text.slice(0, 200)}`));
        });
      },
    );
    req.on("timeout", () => req.destroy(new Error(`GET ${path} took longer than ${REQUEST_MS_MAX / 1000} s`)));
    req.on("error", reject);
    req.end();
  });
}

function unreachable(installation: Installation, name: string, cause: unknown): SetupError {
  return new SetupError(
    `${appUrl(installation, name)} could not be fetched.`,
    cause instanceof Error ? cause.message : String(cause),
    "See the agent's log, and `npm run admin -- server status`.",
  );
}
