import { SvcError } from "@svc/shared/errors.ts";
import { newId } from "@svc/shared/rules/ids.ts";
import { checkAppName } from "../fleet/app-name.ts";
import { appUrlSuffix } from "../fleet/app-url.ts";
import { requirePlace, type Place } from "../fleet/require-place.ts";
import { checkFramework } from "./framework.ts";
import { invalid, quoted } from "../platform/invalid.ts";
import { checkPort } from "./port.ts";
import { checkRoot } from "../repositories/root.ts";
import { tierOf } from "../accounts/tier.ts";
import { readAppJson } from "./app-json.ts";
import { countApps, insertApp, readNameHolder } from "./apps.store.ts";
import { type Db, inTransaction, isUniqueViolation } from "../platform/database/database.ts";
import { lockTier } from "../accounts/lock-tier.ts";
import { readGivenPools } from "../accounts/teams/read-pools.ts";
import { repositoryUrl } from "../repositories/hosting/hosting.ts";
import type { Template } from "./templates/template.ts";
import { adoptHosted, checkRepository } from "../repositories/check-repository.ts";
import { audit, type OperationContext } from "../platform/operation.ts";
import { requireAppPermission } from "../accounts/require-app-permission.ts";
import { provisionRepository } from "../repositories/provision-repository.ts";

export interface NewApp {
  name: string;
  repo_url?: string | undefined;
  template?: string | undefined;
  root?: string | undefined;
  framework?: string | undefined;
  port?: number | undefined;
  needs_database?: boolean | undefined;
  server?: string | undefined;
  pool?: string | undefined;
  label?: string | undefined;
}

/**
 * Registers an app.
 * @returns JSON text of the app
 * @throws SvcError invalid_request, template_unknown, insufficient_scope, app_limit, name_taken,
 *   name_in_use_by_stopped_app, template_provisioning_failed
 */
export async function createApp(ctx: OperationContext, app: NewApp): Promise<string> {
  requireAppPermission(ctx, app.name);
  check(ctx, app);
  const template = app.template === undefined ? undefined : findTemplate(ctx.templates, app.template);
  const { teamId } = ctx.actor;

  return inTransaction(ctx.db, async (tx) => {
    const tierName = await lockTier(ctx, tx);
    await requireFreeName(tx, teamId, app.name);
    const { apps: limit } = tierOf(ctx.platform.tiers, tierName);
    if ((await countApps(tx, teamId)) >= limit) {
      throw new SvcError(
        "app_limit",
        `Your tier ${tierName} allows ${limit} apps, soft-stopped ones included. Purge one, or move to a larger tier.`,
      );
    }
    const place = await requirePlace(tx, app, await readGivenPools(tx, teamId));
    const id = newId(ctx.clock.now());
    await insert(tx, { id, ownerId: teamId, place }, template ? fromTemplate(ctx, app.name, template) : app);
    if (template) await provisionRepository(ctx, tx, { appId: id, name: app.name, template });
    else if (app.repo_url !== undefined) await adoptHosted(ctx, tx, id, app.repo_url);
    await audit(ctx, tx, { action: "app.create", target: `app:${id}`, detail: { name: app.name, ...placeAsked(app) } });
    return readAppJson(tx, teamId, { id, name: app.name }, appUrlSuffix(ctx.platform));
  });
}

function check(ctx: OperationContext, { name, repo_url, template, ...rest }: NewApp): void {
  const { root, framework, port, needs_database } = rest;
  checkAppName(name, ctx.platform);
  if (repo_url !== undefined && template !== undefined) throw invalid("Give repo_url or template, not both.");
  if (template !== undefined) {
    const [given] =
      Object.entries({ root, framework, port, needs_database }).find(([, value]) => value !== undefined) ?? [];
    if (given === undefined) return;
    throw invalid(`The template decides ${given}: leave it out, or give repo_url instead of template.`);
  }
  if (repo_url === undefined) {
    throw invalid("Give repo_url, the https:// address of the repository to deploy from, or template.");
  }
  checkRepository(ctx, repo_url);
  if (root !== undefined) checkRoot(root);
  if (framework !== undefined) checkFramework(framework);
  if (port !== undefined) checkPort(port);
}

async function requireFreeName(tx: Db, teamId: string, name: string): Promise<void> {
  const holder = await readNameHolder(tx, name);
  if (!holder) return;
  if (holder.owner_id === teamId && holder.status === "soft_stopped") {
    throw new SvcError(
      "name_in_use_by_stopped_app",
      `Your own soft-stopped app holds the name ${name}: deploy it to revive it, or delete it with ?purge=1 to free the name.`,
    );
  }
  throw nameTaken(name);
}

/** The manifest gives what a template's user may not. */
function fromTemplate(ctx: OperationContext, name: string, template: Template): NewApp {
  const { slug, framework, port, needsDatabase } = template;
  const repo_url = repositoryUrl(ctx.hosting, { ownerId: ctx.actor.teamId, name });
  return { name, repo_url, template: slug, framework, port, needs_database: needsDatabase };
}

/** The place that the app asks for, as far as it asks for one. */
function placeAsked({ server, pool, label }: NewApp): Record<string, string> {
  return {
    ...(server !== undefined && { server }),
    ...(pool !== undefined && { pool }),
    ...(label !== undefined && { label }),
  };
}

async function insert(
  tx: Db,
  { place, ...row }: { id: string; ownerId: string; place: Place },
  app: NewApp,
): Promise<void> {
  try {
    await insertApp(tx, {
      ...row,
      ...place,
      name: app.name,
      repoUrl: app.repo_url ?? null,
      root: app.root === undefined ? null : checkRoot(app.root),
      template: app.template ?? null,
      framework: app.framework ?? null,
      port: app.port ?? null,
      needsDatabase: app.needs_database ?? false,
    });
  } catch (error) {
    // Somebody else took the name since it was looked up.
    if (isUniqueViolation(error, "apps_name")) throw nameTaken(app.name);
    throw error;
  }
}

function nameTaken(name: string): SvcError {
  return new SvcError("name_taken", `The name ${name} is taken: choose another one.`);
}

/** @throws SvcError template_unknown */
function findTemplate(templates: readonly Template[], slug: string): Template {
  const template = templates.find((one) => one.slug === slug);
  if (template) return template;
  const known = templates.map((one) => one.slug).join(", ") || "none here";
  throw new SvcError("template_unknown", `There is no template ${quoted(slug)}; GET /api/templates lists: ${known}.`);
}
