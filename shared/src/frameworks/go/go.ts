import { posix } from "node:path";
import { BASE_IMAGES } from "../base-images.ts";
import { buildEnvInstructions } from "../dockerfile/build-env.ts";
import type { FileTree } from "../repository/file-tree.ts";
import type { BuildPlan, Framework, PlanInput } from "../framework.ts";
import { chooseGoProgram, goModules, moduleName } from "./go-programs.ts";
import { programPort, programStage } from "../dockerfile/native-dockerfile.ts";
import { cacheMount, copyInstruction, runInstruction, shellWord } from "../dockerfile/run-instruction.ts";

/** A program of a Go module or workspace. */
export const go: Framework = {
  name: "go",
  recognisedBy: "a go.mod or go.work",
  recognise: (files) => {
    const file = ["go.mod", "go.work"].find((name) => files.list().includes(name));
    return file && `${file} at the repository's root`;
  },
  plan: planGo,
};

function planGo(files: FileTree, input: PlanInput): Omit<BuildPlan, "framework" | "reason"> {
  const program = input.build === undefined ? chooseGoProgram(files) : undefined;
  const { port, notes } = programPort(input, program?.source ?? "");
  const lines = [
    ...standardLibraryStage(files, program === undefined ? flagsIn(input.build ?? "") : PROGRAM_FLAGS),
    "",
    ...buildStage(files, input, program?.folder),
    "",
    ...programStage(files, input, {
      sources: "/src",
      keepsSources: program === undefined,
      isLinked: false,
      port,
      start: program ? ["app"] : [madeBy(files, input.build ?? "")],
      names: program ? [posix.basename(program.folder), moduleName(files, ".") ?? ""] : [],
    }),
  ];
  const guess = `There are several Go programs, of which ./${program?.folder} is built. Say \`build\` in svc.yaml for another.`;
  return { dockerfile: { text: `${lines.join("\n")}\n` }, port, notes: program?.isGuess ? [...notes, guess] : notes };
}

/**
 * Packages that nearly every server imports, with all that they import in turn; the whole library would take twice as
 * long.
 */
const USUAL_PACKAGES = "net/http encoding/json html/template database/sql log/slog embed";

/** Paths of the build's are no business of the program's; times of all zones are, and its image has no table of them. */
const PROGRAM_FLAGS = "-trimpath -tags timetzdata";

/** Finds the flags of a user's command that many use and that make another library. */
function flagsIn(build: string): string {
  return /\s-trimpath\b/.test(build) ? "-trimpath" : "";
}

/**
 * Go compiles its library anew in every new cache, and for other flags. Here it does so once for all apps of an owner that
 * are built with the same ones, not once for each.
 */
function standardLibraryStage(files: FileTree, flags: string): string[] {
  const words = ["RUN go build", flags, USUAL_PACKAGES].filter((word) => word !== "");
  return [`FROM ${BASE_IMAGES.go} AS std`, environment(files), words.join(" ")];
}

/** Drivers that are C inside; everything else is linked so that it needs nothing of the image that it runs in. */
const C_MODULES = [
  "github.com/mattn/go-sqlite3",
  "github.com/confluentinc/confluent-kafka-go",
  "github.com/h2non/bimg",
];

function environment(files: FileTree): string {
  const needsC = goModules(files).some((folder) => {
    const text = files.read(posix.join(folder, "go.mod")) ?? "";
    return C_MODULES.some((module) => text.includes(module));
  });
  // A module may ask for a newer Go than the image's, which Go then fetches.
  return `ENV CGO_ENABLED=${needsC ? 1 : 0} GOTOOLCHAIN=auto`;
}

function buildStage(files: FileTree, input: PlanInput, folder: string | undefined): string[] {
  const modules = cacheMount(input.appId, "go", "/go/pkg/mod");
  const compiled = `${cacheMount(input.appId, "go-build", "/root/.cache/go-build")},from=std,source=/root/.cache/go-build`;
  const manifests = manifestsOf(files);
  return [
    `FROM ${BASE_IMAGES.go} AS build`,
    environment(files),
    "WORKDIR /src",
    ...(manifests === undefined ? [] : [...manifests, `RUN ${modules} go mod download`]),
    "COPY . .",
    ...buildEnvInstructions(input.buildEnvKeys),
    ...(folder === undefined
      ? ["RUN mkdir /out", runInstruction(input.build ?? "", `${modules} ${compiled}`)]
      : [
          `RUN ${modules} ${compiled} go build ${PROGRAM_FLAGS} -ldflags '-s -w' -o /out/bin/app ${folder === "." ? "." : shellWord(`./${folder}`)}`,
        ]),
  ];
}

/** Lists the files that say which modules are needed; undefined when they are in the repository itself. */
function manifestsOf(files: FileTree): string[] | undefined {
  const names = files.list();
  const modules = goModules(files);
  const isReplaced = modules.some((folder) => /=>\s*\.{0,2}\//.test(files.read(posix.join(folder, "go.mod")) ?? ""));
  if (names.includes("vendor/") || isReplaced) return undefined;
  const work = names.includes("go.work")
    ? [`COPY go.work${names.includes("go.work.sum") ? " go.work.sum" : ""} ./`]
    : [];
  const each = modules.flatMap((folder) => {
    const present = ["go.mod", "go.sum"].filter((name) => files.list(folder === "." ? "" : folder).includes(name));
    const paths = present.map((name) => posix.join(folder, name));
    return paths.length === 0 ? [] : [copyInstruction(paths, `./${folder === "." ? "" : `${folder}/`}`)];
  });
  return [...work, ...each];
}

/** Where a build command of the user's leaves its program: as it says, else as Go names it. */
function madeBy(files: FileTree, build: string): string {
  const output = /\s-o[\s=]+["']?([^\s"']+)/.exec(build)?.[1];
  if (output?.startsWith("/")) return output;
  const name = output ?? moduleName(files, ".") ?? "app";
  return name.endsWith("/") ? `./${name}${moduleName(files, ".") ?? "app"}` : `./${posix.normalize(name)}`;
}
