import { createHash } from "node:crypto";
import type { Context } from "hono";
import { SvcError } from "@svc/shared/errors.ts";
import type { RequestEnv } from "../platform/http/request-env.ts";
import { readBuiltFile } from "./built-file.ts";

/** Address of a page, as Hono writes it → its document. Mails and bookmarks hold these addresses: they stay. */
export const PAGES = {
  "/sign-in": "sign-in",
  "/sign-up": "sign-up",
  "/join": "join",
  "/forgot": "forgot",
  "/reset": "reset",
  "/verify": "verify",
  "/address": "address",
  "/invitation": "invitation",
  "/device": "device",
  "/authorize": "authorize",
  "/new": "new",
  "/apps/:name": "app-overview",
  "/apps/:name/deploys": "app-deploys",
  "/apps/:name/deploys/:id": "app-deploy",
  "/apps/:name/env": "app-env",
  "/apps/:name/domains": "app-domains",
  "/apps/:name/logs": "app-logs",
  "/apps/:name/metrics": "app-metrics",
  "/apps/:name/webhooks": "app-webhooks",
  "/apps/:name/settings": "app-settings",
  "/settings/profile": "profile",
  "/settings/sessions": "sessions",
  "/settings/keys": "keys",
  "/settings/team": "team",
  "/activity": "activity",
  "/chat": "chat",
  "/chat/:id": "chat",
  "/servers": "operator-servers",
  "/servers/:name": "operator-server",
  "/teams": "operator-teams",
} as const;

type PageName = (typeof PAGES)[keyof typeof PAGES] | "home" | "not-found";

const APP = ["/auth/session", "/api/apps/:name"];

/**
 * Document → reads that its script makes at once. The browser is told of them beside the document, and asks while it loads the scripts
 * (HTML Standard, "preload"). A page that does not make one of them is warned about in the browser's console.
 */
const READS: Partial<Record<PageName, readonly string[]>> = {
  home: ["/auth/session", "/api/apps"],
  "app-overview": [
    ...APP,
    "/api/apps/:name/deploys?limit=5",
    "/api/apps/:name/changes",
    "/api/apps/:name/metrics?step=60",
  ],
  "app-deploys": APP,
  "app-deploy": [...APP, "/api/deploys/:id"],
  "app-env": [...APP, "/api/apps/:name/variables", "/api/apps/:name/changes"],
  "app-domains": [...APP, "/api/apps/:name/domains"],
  "app-logs": APP,
  "app-metrics": [...APP, "/api/apps/:name/metrics"],
  "app-webhooks": [...APP, "/api/apps/:name/webhooks?deliveries=1"],
  "app-settings": [...APP, "/api/teams"],
  profile: ["/auth/session", "/auth/connections", "/auth/passkeys"],
  sessions: ["/auth/session", "/auth/sessions"],
  keys: ["/auth/session", "/auth/keys", "/api/teams"],
  team: ["/auth/session", "/api/teams"],
  activity: ["/auth/session", "/api/teams"],
  chat: ["/auth/session", "/api/conversations"],
  "operator-servers": ["/auth/session"],
  "operator-server": ["/auth/session"],
  "operator-teams": ["/auth/session"],
};

/** Scripts and styles of pages; the name holds a hash of the content. */
export const PAGE_FILE_PATH = "/assets/:file";

/**
 * Pages run their own scripts alone, ask this service alone, and are shown in no frame; forms are sent by scripts. The script
 * that a document holds may run by its hash (Content Security Policy Level 3, section 6.7.2.3).
 */
function policyOf(document: Buffer): string {
  const script = /<script>(.*?)<\/script>/s.exec(document.toString())?.[1] ?? "";
  const hash = createHash("sha256").update(script).digest("base64");
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash}'`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Whether a browser asks for a page, and no program for an answer. */
export function wantsPage(c: Context<RequestEnv>): boolean {
  return c.req.header("Accept")?.includes("text/html") ?? false;
}

/** @param name of a document @throws SvcError not_found where pages were not built */
export async function servePage(name: PageName, c: Context<RequestEnv>, status: 200 | 404 = 200) {
  const document = await readBuiltFile(`pages/${name}.html`);
  return c.body(document, status, {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": policyOf(document),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    Vary: "Accept",
    ...preloads(READS[name] ?? [], c),
  });
}

/** Written as pages ask: with the cookie, in the mode of scripts (RFC 8288). */
function preloads(reads: readonly string[], c: Context<RequestEnv>): Record<string, string> {
  if (reads.length === 0) return {};
  const params = { name: c.req.param("name") ?? "", id: c.req.param("id") ?? "" };
  const links = reads.map((read) => {
    const address = read.replace(/:(name|id)/, (_all, key: keyof typeof params) => encodeURIComponent(params[key]));
    return `<${address}>; rel=preload; as=fetch; crossorigin`;
  });
  return { Link: links.join(", ") };
}

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

/** Serves a script or a style, compressed when the browser takes that. @throws SvcError not_found */
export async function servePageFile(c: Context<RequestEnv>): Promise<Response> {
  const file = c.req.param("file") ?? "";
  const ending = /^[a-z-]+-[A-Z0-9]{8}\.(js|css)$/.exec(file)?.[1];
  if (ending === undefined) throw new SvcError("not_found", "There is nothing at this path.");
  const accepted = c.req.header("Accept-Encoding") ?? "";
  const [encoding, suffix] = /\bbr\b/.test(accepted)
    ? ["br", ".br"]
    : /\bgzip\b/.test(accepted)
      ? ["gzip", ".gz"]
      : [undefined, ""];
  return c.body(await readBuiltFile(`pages/${file}${suffix}`), 200, {
    "Content-Type": TYPES[ending]!,
    ...(encoding === undefined ? {} : { "Content-Encoding": encoding }),
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "public, max-age=31536000, immutable",
    Vary: "Accept-Encoding",
  });
}
