import type { FileTree } from "@svc/shared/frameworks/repository/file-tree.ts";
import type { BuildPlan } from "@svc/shared/frameworks/framework.ts";
import { planBuild } from "@svc/shared/frameworks/plan-build.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { AppFolder } from "@svc/shared/spec/app-folder.ts";
import { requireWithin, type Caps } from "@svc/shared/spec/caps.ts";
import { commandWords, parseStartCommand } from "@svc/shared/spec/start-command.ts";
import type { AppRef } from "../ports.ts";
import { databaseVersion, type SpecFile } from "../source/spec-file.ts";

/** The app's settings that the control plane sends beside its source. */
export interface AppSettings {
  /** Is set through the API, which wins over the spec file (control-plane/decisions, spec file). */
  root: string | undefined;
  framework: string | undefined;
  port: number | undefined;
  buildEnvKeys: readonly string[];
  capsMax: Caps;
  /** Major version of the app's database; undefined when it has none. */
  databaseVersion: string | undefined;
  /** Services of the spec file for which provision_db has made a database. */
  services: readonly string[];
  /** The app is to have a database whatever the spec file says. */
  databaseWanted: boolean;
}

/** How the commit is built and run. */
export interface Decision {
  plan: BuildPlan;
  caps: Caps;
  /** Takes the place of the image's own command; undefined: that one. */
  command: readonly string[] | undefined;
  /** Notes for the user, a sentence each. */
  notes: readonly string[];
}

/**
 * Makes the settings from the files, the spec file among them, and the app's settings.
 * @throws SvcError invalid_request, framework_unknown, database_not_ready
 */
export function decideBuild(
  app: AppRef,
  files: FileTree,
  { root, file }: AppFolder<SpecFile>,
  settings: AppSettings,
): Decision {
  if (file) requireWithin(file.file, file.spec.resources, settings.capsMax);
  requireDatabase(file, settings);
  const { spec } = file ?? {};
  const start = spec?.start === undefined ? undefined : parseStartCommand(spec.start);
  const framework = settings.framework ?? spec?.framework;
  const plan = namingSetting(settings.framework, () =>
    planBuild(files, framework, {
      appId: app.id,
      root,
      port: settings.port ?? spec?.port,
      buildEnvKeys: settings.buildEnvKeys,
      build: spec?.build,
      start,
    }),
  );
  const isOfFile = file !== undefined && settings.framework === undefined && spec?.framework !== undefined;
  return {
    plan: isOfFile ? { ...plan, reason: `named in ${file.file}` } : plan,
    caps: { memoryBytes: spec?.resources.memoryBytes, cpuMillis: spec?.resources.cpuMillis },
    // The repository's own Dockerfile is built as it is.
    command: start && "path" in plan.dockerfile ? commandWords(start) : undefined,
    notes: [...plan.notes, ...(file ? notesOn(app, file, settings) : [])],
  };
}

/** A repository may be no program of a framework that somebody has set: the reason says where that is changed. */
function namingSetting<T>(framework: string | undefined, plan: () => T): T {
  try {
    return plan();
  } catch (error) {
    if (framework === undefined || !(error instanceof SvcError)) throw error;
    const set = `The app's settings name the framework ${framework}: change that there, or leave it to what is recognised.`;
    throw new SvcError(error.code, `${error.message} ${set}`, { cause: error });
  }
}

/** provision_db, which reads the same commit, made none: it could not be fetched then, or the file was not there. */
function requireDatabase(file: SpecFile | undefined, { databaseWanted, databaseVersion, services }: AppSettings): void {
  const missing = Object.keys(file?.spec.services ?? {}).find((service) => !services.includes(service));
  const isMade = databaseVersion !== undefined && missing === undefined;
  if (isMade || (missing === undefined && !databaseWanted)) return;
  const what = missing === undefined ? "a database" : `a database for the service ${missing}`;
  throw new SvcError(
    "database_not_ready",
    `The app needs ${what}, and none was made, because the source could not be read just before. Deploy again.`,
  );
}

function notesOn(app: AppRef, { file, spec }: SpecFile, settings: AppSettings): string[] {
  const notes: string[] = [];
  if (spec.name !== app.name) notes.push(`${file} is for an app named ${spec.name}; this one is ${app.name}.`);
  for (const property of ["root", "framework", "port"] as const) {
    const [set, written] = [settings[property], spec[property]];
    if (set === undefined || written === undefined || set === written) continue;
    notes.push(`The app's own setting of ${property}, ${set}, is used in place of the ${written} of ${file}.`);
  }
  const wanted = databaseVersion(spec);
  if (wanted !== undefined && settings.databaseVersion !== undefined && wanted !== settings.databaseVersion) {
    notes.push(
      `${file} asks for PostgreSQL ${wanted}; the app's database is PostgreSQL ${settings.databaseVersion} and stays ` +
        "as it is, since data is never moved to another version by itself.",
    );
  }
  return notes;
}
