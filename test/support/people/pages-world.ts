import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { inspect } from "node:util";
import type { BrowserContext, Page } from "playwright-core";
import { listen } from "@svc/control-plane/api/listener.ts";
import type { OidcProvider } from "@svc/control-plane/accounts/identity/oidc/provider.ts";
import { systemClock } from "@svc/shared/platform/clock.ts";
import { silentLogger } from "@svc/shared/platform/logger.ts";
import { startTestApi, type TestApi, type TestApiOptions } from "../api/http.ts";
import { startBrowser } from "../platform/browser.ts";
import { randomAddress } from "./person.ts";
import { freePort } from "../tools/free-ports.ts";
import { keepLogged } from "../tools/logged.ts";

/** Is half the size of the package's main file, which a browser would read for each page. */
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Pages are drawn by the processor. */
const viewport = { width: 800, height: 600 };

/** A busy machine needs this long to show a page. */
const PATIENCE_MS = 60_000;

export interface PagesWorld {
  http: TestApi;
  url: string;
  /** Errors of pages, what their policy forbade, and faults of the service. */
  complaints: string[];
  /** Moves the time of second factors on, so that the next code is not the last one. */
  later(): void;
  now(): Date;
  /** A browser at an address of its own, as a proxy on this machine tells it. @param cookie of a session, as the header has it; without it, nobody is signed in */
  openBrowser(cookie?: string): Promise<Page>;
  /** A browser that has kept nothing of the service; the caller closes its context. */
  openFreshBrowser(cookie: string): Promise<Page>;
  /** Another tab of the page's browser. */
  openTab(page: Page): Promise<Page>;
  /** Lets the browsers that are open be somebody else's. What they keep of scripts stays, which saves half of a page's load. */
  signOutAll(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The control plane with its pages on a port, and Chromium.
 * @param options.host of its address; it listens on 127.0.0.1
 * @param options.providersAt starts providers that people sign in at, for the control plane at that address
 */
export async function startPagesWorld({
  host = "127.0.0.1",
  providersAt,
  ...options
}: Pick<TestApiOptions, "signUp" | "domainChecks" | "unchecked" | "model" | "modelTiming"> & {
  host?: string;
  providersAt?: (baseUrl: string) => Promise<OidcProvider[]>;
} = {}): Promise<PagesWorld> {
  const port = await freePort();
  const url = `http://${host}:${port}`;
  const oidc = { providers: (await providersAt?.(url)) ?? [] };
  let aheadMs = 0;
  const now = () => new Date(systemClock.now().getTime() + aheadMs);
  const complaints: string[] = [];
  // A browser is told the id of a request that failed by a fault of the service; the service's log tells why.
  const { log } = keepLogged(({ level, fields, text }) => {
    if (level === "error" && text === "request") complaints.push(inspect(fields));
  });
  const [browser, http] = await Promise.all([
    startBrowser(),
    startTestApi({ ...options, log, oidc, baseUrl: url, clock: { ...systemClock, now } }),
  ]);
  const address = { host: "127.0.0.1", port };
  const listener = await listen(http.api, { address, tls: undefined, log: silentLogger });

  const idle: Page[] = [];
  const inUse: Page[] = [];

  async function openBrowser(cookie?: string): Promise<Page> {
    const page = idle.pop() ?? (await newPage());
    inUse.push(page);
    return signedIn(page, cookie);
  }

  async function signedIn(page: Page, cookie = ""): Promise<Page> {
    const [name = "", value = ""] = cookie.split("=");
    if (name !== "") await page.context().addCookies([{ name, value, url }]);
    return page;
  }

  async function newPage(): Promise<Page> {
    const context = await browser.newContext({ viewport, extraHTTPHeaders: { "X-Forwarded-For": randomAddress() } });
    context.setDefaultTimeout(PATIENCE_MS);
    await context.addInitScript(
      'addEventListener("securitypolicyviolation", (event) => console.error(event.violatedDirective, event.blockedURI))',
    );
    return openTab(context);
  }

  async function openTab(context: BrowserContext): Promise<Page> {
    const page = await context.newPage();
    page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error.message}`));
    page.on("console", (message) => {
      // Chromium says this of each request that the control plane refuses.
      const isRefusal = message.text().startsWith("Failed to load resource: the server responded with a status of 4");
      if (["error", "warning"].includes(message.type()) && !isRefusal)
        complaints.push(`${page.url()}: ${message.text()}`);
    });
    return page;
  }

  return {
    http,
    url,
    complaints,
    now,
    later: () => void (aheadMs += 30_000),
    openBrowser,
    openFreshBrowser: async (cookie) => signedIn(await newPage(), cookie),
    openTab: (page) => openTab(page.context()),
    async signOutAll() {
      for (const page of inUse) {
        await page.evaluate("sessionStorage.clear()");
        // A page that finds that it is signed out leads to the sign-in, in the middle of what the next test does.
        await page.goto("about:blank");
        await page.context().clearCookies();
      }
      idle.push(...inUse.splice(0));
    },
    async stop() {
      await browser.close();
      await listener.close();
      await http.stop();
    },
  };
}

/**
 * What axe finds against the page as it is shown now, in light and dark, each also in high contrast. It comes in through the debugger, so that the page's
 * policy stays on.
 */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const debug = await page.context().newCDPSession(page);
  async function evaluate(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = await debug.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }
  await evaluate(AXE);
  await page.emulateMedia({ colorScheme: "light" });
  const light = await evaluate(`axe.run({ resultTypes: ["violations"], preload: false }).then(${PROBLEMS})`);
  await page.emulateMedia({ colorScheme: "dark" });
  // The scheme changes colors alone.
  const dark = await evaluate(`axe.run({ runOnly: ["cat.color"], preload: false }).then(${PROBLEMS})`);
  const inHighContrast: unknown[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, contrast: "more" });
    inHighContrast.push(await evaluate(`axe.run({ runOnly: ["cat.color"], preload: false }).then(${PROBLEMS})`));
  }
  await page.emulateMedia({ colorScheme: "light", contrast: null });
  await debug.detach();
  return [light, dark, ...inHighContrast].flat() as string[];
}

const PROBLEMS = `({ violations, passes }) => passes.length === 0 ? ["axe found nothing to look at"] :
  violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ": " + html + " " + failureSummary))`;
