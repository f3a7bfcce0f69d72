import { APP_USER, BASE_IMAGES } from "../base-images.ts";
import type { FileTree } from "../repository/file-tree.ts";
import type { PlanInput } from "../framework.ts";
import { posix } from "node:path";
import { PROGRAM_PORT } from "../../rules/frameworks.ts";
import { isPort } from "../../rules/port.ts";
import { cmdInstruction, type StartCommand } from "../../spec/start-command.ts";

/** Folders that programs read while they run: pages, their assets, changes of a database's schema, settings. */
const DATA_FOLDERS = [
  "assets",
  "config",
  "data",
  "dist",
  "i18n",
  "locales",
  "migrations",
  "public",
  "static",
  "templates",
  "views",
  "web",
  "www",
];

/** Where a program that is compiled runs: Debian, the program, and the folders that it may read beside itself. */
export interface NativeApp {
  /** The stage `build` keeps its sources here. */
  sources: string;
  /** Everything of the sources is needed, since only the user's own build command knows what it made. */
  keepsSources: boolean;
  /** It may be linked with libraries that Debian's minimal image lacks. */
  isLinked: boolean;
  port: number;
  start: readonly string[];
  /** Names of the program where it was written, beside `app`. */
  names: readonly string[];
}

/** Final stage of a program that the stage `build` has put at /out/bin/app, with what it is linked with in /out/lib. */
export function programStage(files: FileTree, input: PlanInput, app: NativeApp): string[] {
  const { sources, keepsSources, port, start } = app;
  const folders = DATA_FOLDERS.filter((name) => files.list().includes(`${name}/`));
  return [
    `FROM ${BASE_IMAGES.debian}`,
    `ENV PORT=${port} HOME=/tmp${app.isLinked ? " LD_LIBRARY_PATH=/usr/local/lib" : ""}`,
    // Programs keep files beside themselves.
    `RUN mkdir /app && chown ${APP_USER} /app`,
    "WORKDIR /app",
    "COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/",
    "COPY --from=build /out/ /usr/local/",
    ...(keepsSources
      ? [`COPY --from=build --chown=${APP_USER} ${sources} /app`]
      : folders.map((name) => `COPY --chown=${APP_USER} ${name} ./${name}`)),
    ...(keepsSources || input.start === undefined ? [] : ownNames(files, input.start, app.names)),
    `USER ${APP_USER}`,
    `EXPOSE ${port}`,
    cmdInstruction(input.start ?? { form: "exec", words: start }),
  ];
}

/**
 * A start command calls the program as it is called on other hosts, `bin/shop` or `./target/release/shop`: under that name it
 * is there too.
 */
function ownNames(files: FileTree, start: StartCommand, names: readonly string[]): string[] {
  const line = start.form === "exec" ? start.words.join(" ") : start.line;
  const [, word = ""] = /^(?:exec +)?(?:[A-Za-z_]\w*=\S* +)*([\w.-][\w./-]*)(?= |$)/.exec(line) ?? [];
  const path = posix.normalize(word);
  const isOwn = word.includes("/") ? names.includes(posix.basename(path)) : names.includes(word);
  if (!isOwn || path.startsWith("..") || files.read(path) !== undefined) return [];
  const target = word.includes("/") ? `/app/${path}` : `/usr/local/bin/${path}`;
  return [`RUN mkdir -p ${posix.dirname(target)} && ln -s /usr/local/bin/app ${target}`];
}

/**
 * The port of a program: the given one, else the only one written in a source that does not read PORT, else the default.
 *
 * @param source of the program's main file
 */
export function programPort(input: PlanInput, source: string): { port: number; notes: string[] } {
  if (input.port !== undefined) return { port: input.port, notes: [] };
  const written = new Set(
    [...source.matchAll(/:(\d{4,5})["'`]|0, 0, 0, 0\], (\d{4,5})/g)].map((match) => match[1] ?? match[2]!),
  );
  const [only] = written;
  if (/\bPORT\b/.test(source) || only === undefined || written.size > 1 || !isPort(Number(only))) {
    return { port: PROGRAM_PORT, notes: [] };
  }
  return { port: Number(only), notes: [`The source does not read PORT and listens on ${only}, so that port is used.`] };
}
