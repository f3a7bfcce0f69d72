import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";
import { requireWithin } from "@svc/shared/spec/caps.ts";
import { DEFAULT_POOL } from "@svc/shared/rules/servers/server-pool.ts";
import { SPEC_FILES, type SpecProblem } from "@svc/shared/spec/deploy-spec.ts";
import { cpuMillis, memoryBytes } from "@svc/shared/spec/resources.ts";
import { findApp, newestDeploy, readVariables } from "../api/apps.ts";
import { answerOf, openService, type App, type Service } from "../api/client.ts";
import { askLine } from "../output/ask.ts";
import { CliError, wrongUse } from "../output/cli-error.ts";
import type { Invocation } from "../command-line/command.ts";
import type { ProgressView } from "../deploy/progress.ts";
import { resolveEnv, type ResolvedEnv } from "../deploy/resolve-env.ts";
import { runDeploy, type Push } from "../deploy/run-deploy.ts";
import { withView } from "../deploy/with-view.ts";
import { readEnvFile } from "../project/env-file.ts";
import { linkedApp } from "../project/link.ts";
import { pushSnapshot, readFolder } from "../project/snapshot.ts";
import { nameOfFolder, writeSpecFile } from "../project/new-spec-file.ts";
import { findAppFolder, givenRoot, parseSpecFile, type SpecFile } from "../project/spec-file.ts";
import { readRemoteSource } from "../project/working-tree.ts";
import { configuredProvider } from "../secrets/configured.ts";

/** The source of a deploy: a repository, and a ref of it. */
interface Source {
  repoUrl: string;
  ref: string;
  /** It was pushed to the platform just now. */
  isNew: boolean;
}

/** Deploys a folder and ends with the app's URL. */
export async function up(invocation: Invocation): Promise<number> {
  const { flags, terminal } = invocation;
  const { root, file } = findAppFolder(invocation);
  requireFolder(invocation.dir, root);
  const specFile = { ...(file ?? (await withoutSpecFile(invocation))), root };
  return withView(terminal, async (view) => {
    const { spec } = specFile;
    const name = flags.text("app") ?? spec.name;
    showSpec(view, specFile, name);
    const service = await openService(invocation);
    view.show({ type: "doing", what: `Asking ${service.access.url} for the app ${name}` });
    const existing = await findApp(service, name);
    // Nothing is created before it is known that the app will have all that it needs.
    await requireWithinTier(service, specFile);
    if (spec.env.length > 0) view.show({ type: "doing", what: `Looking for values of ${spec.env.join(", ")}` });
    const env = await requireEnv(invocation, service, specFile, existing);
    // An app that deploys every push deploys with what it has then.
    if (existing) await sendEnv(service, existing, env);
    const newestBefore = existing?.deploy_on_push ? (await newestDeploy(service, name))?.id : undefined;
    const source = await findSource(invocation, service, view, name);
    const app = existing
      ? await updateApp(service, view, existing, source, rootToSet(invocation))
      : await createApp(service, { ...specFile, name }, source, givenRoot(invocation));
    if (existing) noteOtherPlace(view, existing, specFile);
    view.show({ type: "app", name: app.name, url: app.url, repo_url: app.git_repo, created: existing === undefined });
    if (!existing) await sendEnv(service, app, env);
    view.show({ type: "env", set: Object.keys(env.values), sources: env.sources });
    const [release, detach] = [flags.text("release"), flags.isSet("detach")];
    const watch = !flags.isSet("no-watch");
    const pushed = pushOf(existing, source, newestBefore);
    return runDeploy({ service, terminal, view }, { app, ref: source.ref, release, detach, watch, pushed });
  });
}

/** Nothing is made for a folder that is not there. @throws CliError wrong_use */
function requireFolder(dir: string, root: string): void {
  if (statSync(join(dir, root), { throwIfNoEntry: false })?.isDirectory()) return;
  throw wrongUse(`${dir} has no folder ${JSON.stringify(root)}: check --root, or \`root\` in the spec file.`);
}

/**
 * A person names the app, which the commands after this one find in a new spec file; `--app` or a link has none written.
 * @throws CliError wrong_use where nobody can be asked, or for a name that can't be an app's
 */
async function withoutSpecFile(invocation: Invocation): Promise<SpecFile> {
  const { dir, flags, terminal } = invocation;
  const given = flags.text("app");
  if (given !== undefined) return specOfName("--app", given);
  const linked = await linkedApp(invocation);
  if (linked !== undefined) return specOfName("svc link", linked);
  const proposed = nameOfFolder(dir);
  if (!terminal.canAsk) {
    throw wrongUse(
      `${dir} has no ${SPEC_FILES.join(", ")}: name the app with --app ${proposed}, link one of yours with \`svc link\`, or have \`svc init\` write one.`,
    );
  }
  const typed = await askLine(terminal, `Name of the new app, or of one of yours [${proposed}]: `);
  const { file } = await writeSpecFile(dir, typed === "" ? proposed : typed);
  terminal.note(`Wrote ${file}, which names it.`);
  return parseSpecFile(file, await readFile(join(dir, file), "utf8"));
}

/** @throws CliError wrong_use for a name that can't be an app's */
function specOfName(source: string, name: string): SpecFile {
  try {
    return parseSpecFile(source, `# spec: svc/v1\nname: ${JSON.stringify(name)}\n`);
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== "bad_spec") throw error;
    const problems = error.fields["problems"] as readonly SpecProblem[];
    throw wrongUse(`${source} ${JSON.stringify(name)}: ${problems.map(({ message }) => message).join(" ")}`);
  }
}

/** Returns the push that the service deploys by itself; undefined when there is none. */
function pushOf(app: App | undefined, source: Source, newestBefore: string | undefined): Push | undefined {
  const isDeployed = source.isNew && app?.deploy_on_push === true && app.git_repo === source.repoUrl;
  return isDeployed ? { sha: source.ref, newestBefore } : undefined;
}

function showSpec(view: ProgressView, { file, spec }: SpecFile, name: string): void {
  const { framework = null, port = null, env } = spec;
  view.show({ type: "spec", file, name, framework, port, env });
}

/** @throws CliError wrong_use for resources that the owner's tier does not allow */
async function requireWithinTier(service: Service, { file, spec: { resources } }: SpecFile): Promise<void> {
  if (Object.keys(resources).length === 0) return;
  const { tier } = await answerOf(service, service.rest.GET("/api/tier"));
  try {
    requireWithin(file, resources, { memoryBytes: memoryBytes(tier.memory), cpuMillis: cpuMillis(tier.cpus) });
  } catch (error) {
    if (error instanceof SvcError) throw wrongUse(`${error.message} Nothing was created or changed.`);
    throw error;
  }
}

/** @throws CliError wrong_use with all keys that have no value anywhere */
async function requireEnv(
  invocation: Invocation,
  service: Service,
  { spec: { env: keys }, root }: SpecFile & { root: string },
  app: App | undefined,
): Promise<ResolvedEnv> {
  if (keys.length === 0) return { values: {}, sources: {}, missing: [] };
  const secrets = configuredProvider(invocation);
  const resolved = await resolveEnv(keys, {
    app: new Set(app ? await envKeys(service, app.name) : []),
    secrets,
    environment: invocation.env,
    dotenv: () => readDotenv(join(invocation.dir, root)),
  });
  if (resolved.missing.length === 0) return resolved;
  const asked = ["the app", secrets?.name, "the environment", ".env"].filter((place) => place !== undefined);
  const { missing } = resolved;
  const it = missing.length === 1 ? "it" : "them";
  const [first] = missing;
  const set = app ? `set ${it} with \`svc env set ${first}\`` : `export ${it}`;
  throw wrongUse(
    `The app needs ${missing.join(", ")}, and none of ${asked.join(", ")} has ${it}: ${set}, or put ${it} into .env. ` +
      `Nothing was created or changed.`,
  );
}

async function envKeys(service: Service, name: string): Promise<string[]> {
  const { env, sealed } = await readVariables(service, name);
  return [...Object.keys(env), ...sealed];
}

async function readDotenv(dir: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(join(dir, ".env"), "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw wrongUse(`.env can't be read: ${error.message}.`);
  });
  return readEnvFile(".env", text);
}

/** The `origin` remote, or a repository of the platform's with what is in the folder now. */
async function findSource(
  { flags, dir }: Invocation,
  service: Service,
  view: ProgressView,
  name: string,
): Promise<Source> {
  view.show({ type: "doing", what: `Reading ${dir}` });
  const remote = flags.isSet("local") ? undefined : await readRemoteSource(dir, service.access.url);
  if (remote) {
    for (const line of remote.notes) view.show({ type: "log", step: null, line });
    return { repoUrl: remote.url, ref: remote.ref, isNew: false };
  }
  const folder = await readFolder(dir);
  view.show({ type: "doing", what: `Pushing ${dir}` });
  const ensured = service.rest.POST("/api/repositories", { body: { name } });
  const { repo_url: repoUrl } = await answerOf(service, ensured);
  const { sha, isNew } = await pushSnapshot(folder, repoUrl, service.access);
  return { repoUrl, ref: sha, isNew };
}

/** Framework, port and all else that the spec file says are read from the commit that is built: a copy would win over it. */
async function createApp(
  service: Service,
  { name, spec }: SpecFile & { name: string },
  { repoUrl }: Source,
  root: string | undefined,
): Promise<App> {
  const created = service.rest.POST("/api/apps", {
    params: { header: { "Idempotency-Key": randomUUID() } },
    body: {
      name,
      repo_url: repoUrl,
      ...(root !== undefined && { root }),
      needs_database: Object.keys(spec.services).length > 0,
      ...(spec.pool !== undefined && { pool: spec.pool }),
      ...(spec.label !== undefined && { label: spec.label }),
    },
  });
  return (await answerOf(service, created)).app;
}

/**
 * Returns the folder of `--root`; undefined when it is not given. A dot, the repository's top, leaves it to the spec
 * file.
 */
function rootToSet(invocation: Invocation): string | null | undefined {
  return invocation.flags.text("root") === undefined ? undefined : (givenRoot(invocation) ?? null);
}

async function updateApp(
  service: Service,
  view: ProgressView,
  app: App,
  { repoUrl }: Source,
  root: string | null | undefined,
): Promise<App> {
  const isSameRoot = root === undefined || root === app.root;
  if (app.git_repo === repoUrl && isSameRoot) return app;
  if (app.git_repo !== null && app.git_repo !== repoUrl) {
    const line = `The app deployed from ${app.git_repo} so far; from now on it deploys from ${repoUrl}.`;
    view.show({ type: "log", step: null, line });
  }
  const params = { path: { name: app.name } };
  const body = { repo_url: repoUrl, ...(isSameRoot ? {} : { root: root ?? "." }) };
  return (await answerOf(service, service.rest.PATCH("/api/apps/{name}", { params, body }))).app;
}

/** An app stays where it is; that its file asks for another place is said, so that nobody waits for a move. */
function noteOtherPlace(view: ProgressView, app: App, { file, spec: { pool, label } }: SpecFile): void {
  const asked = [
    ...(pool !== undefined && pool !== (app.pool ?? DEFAULT_POOL) ? [`the pool ${pool}`] : []),
    ...(label !== undefined && label !== app.label ? [`the label ${label}`] : []),
  ];
  if (asked.length === 0) return;
  const line = `${file} asks for ${asked.join(" and ")}, which counts for a new app only: ${app.name} stays where it is.`;
  view.show({ type: "log", step: null, line });
}

async function sendEnv(service: Service, app: App, { values }: ResolvedEnv): Promise<void> {
  if (Object.keys(values).length === 0) return;
  const params = { path: { name: app.name } };
  await answerOf(service, service.rest.PUT("/api/apps/{name}/env", { params, body: { env: { ...values } } }));
}
