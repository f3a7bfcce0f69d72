import { z } from "@hono/zod-openapi";
import { addDomain } from "./add-domain.ts";
import { listDomainsOf } from "./domains.store.ts";
import { readDomain } from "./read-domain.ts";
import { removeDomain } from "./remove-domain.ts";
import { HOST_NAME_LENGTH_MAX } from "@svc/shared/rules/host-name.ts";
import { namedApp } from "../apps/find-app.ts";
import { json } from "../platform/http/answer.ts";
import { route, success } from "../platform/http/route.ts";

const DOMAIN = { domain: "the domain, as it was attached" };

const AddDomainSchema = z
  .strictObject({
    domain: z.string().openapi({
      description: "two labels or more, in lower case; international names as A-labels (`xn--…`)",
      maxLength: HOST_NAME_LENGTH_MAX,
    }),
  })
  .openapi("AddDomain", { example: { domain: "shop.example.com" } });

const RoutedDomainSchema = z
  .object({ domain: z.string(), status: z.literal("routed") })
  .openapi("RoutedDomain", { example: { domain: "shop.example.com", status: "routed" } });

const DomainStateSchema = z
  .object({
    domain: z.string(),
    status: z.enum(["active", "pending"]),
    cert: z
      .object({ issuer: z.string(), not_after: z.iso.datetime(), dns_names: z.array(z.string()) })
      .optional()
      .openapi({ description: "when `active`: `issuer` is the authority's common name" }),
    detail: z.string().optional().openapi({ description: "when `pending`: the handshake's error, unchanged" }),
    missing: z
      .array(z.object({ part: z.enum(["txt_record", "address_record", "certificate"]), detail: z.string() }))
      .optional()
      .openapi({ description: "what the domain still needs, or has lost, each with a sentence that says why" }),
  })
  .openapi("DomainState", {
    example: {
      domain: "shop.example.com",
      status: "active",
      cert: { issuer: "R11", not_after: "2027-02-19T08:00:00.000Z", dns_names: ["shop.example.com"] },
    },
  });

export const domainRoutes = [
  route({
    method: "post",
    path: "/api/apps/{name}/domains",
    operationId: "addDomain",
    summary: "Attach a domain to the app",
    description:
      "Until the TXT record `txt_record` has the value `txt_value`, the answer is 422 `domain_not_verified` with both. The " +
      "value is the same on every retry. The domain's A record must point at the platform; its certificate is made in the " +
      "background. Of a domain that another owner has, the answer is 409 `domain_in_use` with both, until that value is " +
      "published and the former one is not: then the domain comes to this app.",
    scope: "domains:write",
    subject: namedApp,
    body: AddDomainSchema,
    successes: success(201, "stored and routed", RoutedDomainSchema),
    errors: ["domain_reserved", "domain_limit", "domain_in_use", "domain_not_verified"],
    async handle(ctx, { subject: app, body: { domain } }) {
      await addDomain(ctx, app, domain);
      return json(201, { domain, status: "routed" });
    },
  }),
  route({
    method: "get",
    path: "/api/apps/{name}/domains",
    operationId: "listDomains",
    summary: "List the app's domains",
    scope: "domains:read",
    subject: namedApp,
    successes: success(
      200,
      "the domains, by name",
      z.object({ domains: z.array(z.string()) }).openapi({ example: { domains: ["shop.example.com"] } }),
    ),
    handle: async (ctx, { subject: app }) => json(200, { domains: await listDomainsOf(ctx.db, app.id) }),
  }),
  route({
    method: "get",
    path: "/api/apps/{name}/domains/{domain}",
    operationId: "readDomain",
    summary: "Check what a domain serves by a verified TLS handshake",
    scope: "domains:read",
    subject: namedApp,
    params: DOMAIN,
    successes: success(200, "its state", DomainStateSchema),
    handle: async (ctx, { subject: app, params }) => json(200, await readDomain(ctx, app, params["domain"] ?? "")),
  }),
  route({
    method: "delete",
    path: "/api/apps/{name}/domains/{domain}",
    operationId: "removeDomain",
    summary: "Remove a domain and its route",
    scope: "domains:write",
    subject: namedApp,
    params: DOMAIN,
    successes: success(204, "removed"),
    handle: (ctx, { subject: app, params }) => removeDomain(ctx, app, params["domain"] ?? ""),
  }),
];
