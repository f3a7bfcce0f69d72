import { aptEnsure, aptInstall } from "../dockerfile/apt.ts";
import type { PythonProject } from "./python-project.ts";

/** Debian packages that a library is compiled with, and those that it loads while it runs. */
interface Native {
  compiledWith: readonly string[];
  loads: readonly string[];
}

/** Libraries that are published as sources alone, or that load one of the system's. */
const NATIVE: Readonly<Record<string, Native>> = {
  psycopg: { compiledWith: [], loads: ["libpq5"] },
  psycopg2: { compiledWith: ["gcc", "libc6-dev", "libpq-dev"], loads: ["libpq5"] },
  mysqlclient: {
    compiledWith: ["gcc", "libc6-dev", "default-libmysqlclient-dev", "pkg-config"],
    loads: ["libmariadb3"],
  },
  uwsgi: { compiledWith: ["gcc", "libc6-dev"], loads: [] },
};

function natives({ dependencies }: PythonProject): Native[] {
  return Object.entries(NATIVE).flatMap(([name, native]) => (dependencies.has(name) ? [native] : []));
}

/** Is for the stage that installs: compilers, unless the image carries wheels, which are compiled. */
export function compilerInstructions(project: PythonProject): string[] {
  const packages = new Set(natives(project).flatMap(({ compiledWith }) => compiledWith));
  return packages.size === 0 ? [] : [`RUN test -d /usr/local/share/wheels || { ${aptInstall([...packages])}; }`];
}

/** Is for the stage that runs: the system's libraries. */
export function libraryInstructions(project: PythonProject): string[] {
  const packages = new Set(natives(project).flatMap(({ loads }) => loads));
  return packages.size === 0 ? [] : [`RUN ${aptEnsure([...packages])}`];
}
