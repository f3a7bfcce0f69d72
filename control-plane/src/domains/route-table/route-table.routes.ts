import { hash } from "node:crypto";
import { z } from "@hono/zod-openapi";
import { parseServerAddress } from "../../fleet/server.ts";
import { json } from "../../platform/http/answer.ts";
import { route } from "../../platform/http/route.ts";
import { integerParameter } from "../../platform/http/validation.ts";
import { readHosts, type HostRow } from "./route-table.store.ts";

const PAGE_SIZE = 1_000;
/** A page of this many hosts has some 2 MB. */
const PAGE_SIZE_MAX = 10_000;

const HostRouteSchema = z
  .object({
    host: z.string().openapi({ description: "the name that a request is for", example: "hello.apps.example.com" }),
    app: z.string().openapi({ example: "hello" }),
    server: z.string().openapi({ description: "name of the server that the app lives on", example: "server-1" }),
    address: z.string().nullable().openapi({
      description: "of that server: as an operator has set it, else where its agent was at its last link",
      example: "192.0.2.7",
    }),
    port: z.int().openapi({ description: "where the server's proxy takes HTTPS", example: 443 }),
  })
  .openapi("HostRoute");

export const routeTableRoutes = [
  route({
    method: "get",
    subject: "none",
    path: "/api/routes",
    operationId: "listRoutes",
    summary: "List the host names that lead to apps, each with its server",
    description:
      "Extension, for balancers in front of several servers. All owners' apps that have been deployed, by host name in the order of " +
      "its bytes; `next_cursor` is there when another page follows. Each page has an ETag: asked with If-None-Match, a page " +
      "that is the same is answered 304. Beside operators who are signed in, their keys without scopes can read it.",
    tag: "operators",
    scope: "unscoped",
    role: "operator",
    takesOperatorKeys: true,
    headers: { "If-None-Match": "ETags of pages that the caller has" },
    query: z.strictObject({
      limit: integerParameter({ min: 1, max: PAGE_SIZE_MAX }).openapi({
        type: "integer",
        minimum: 1,
        maximum: PAGE_SIZE_MAX,
      }),
      cursor: z.string().optional().openapi({ description: "`next_cursor` of the page before" }),
    }),
    successes: [
      {
        status: 200,
        description: "a page of the table",
        schema: z.object({ routes: z.array(HostRouteSchema), next_cursor: z.string().optional() }),
        headers: { ETag: "names this content of the page" },
      },
      { status: 304, description: "the page is one of those in If-None-Match", headers: { ETag: "of the page" } },
    ],
    async handle({ db, platform }, { query: { limit = PAGE_SIZE, cursor: after = "" }, headers }) {
      const { appsDomain, appsHttpsPort } = platform;
      const rows = await readHosts(db, { appsDomain, after, limit: limit + 1 });
      const routes = rows.slice(0, limit).map((row) => hostRoute(row, appsHttpsPort));
      const next = rows.length > limit ? { next_cursor: routes.at(-1)!.host } : {};
      const page = json(200, { routes, ...next });
      const etag = `"${hash("sha256", page.body!, "base64url")}"`;
      // Whoever keeps it asks each time whether it is still so.
      const kept = { ETag: etag, "Cache-Control": "private, no-cache" };
      if (isAmong(etag, headers.get("If-None-Match"))) return { status: 304, headers: kept };
      return { ...page, headers: kept };
    },
  }),
];

function hostRoute({ host, app, server, address, linkedFrom }: HostRow, appsHttpsPort: number) {
  const place = parseServerAddress(address ?? linkedFrom ?? "");
  return { host, app, server, address: place?.host ?? null, port: place?.port ?? appsHttpsPort };
}

/** Compares weakly, as If-None-Match asks for (RFC 9110, 13.1.2). */
function isAmong(etag: string, ifNoneMatch: string | null): boolean {
  const tags = (ifNoneMatch ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(etag) || tags.includes("*");
}
