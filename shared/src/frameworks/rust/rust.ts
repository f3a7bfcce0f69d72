import { BASE_IMAGES } from "../base-images.ts";
import { buildEnvInstructions } from "../dockerfile/build-env.ts";
import { chooseCargoProgram, type CargoProgram } from "./cargo-programs.ts";
import type { FileTree } from "../repository/file-tree.ts";
import type { BuildPlan, Framework, PlanInput } from "../framework.ts";
import { programPort, programStage } from "../dockerfile/native-dockerfile.ts";
import { cacheMount, runInstruction, shellWord } from "../dockerfile/run-instruction.ts";

/** A program of a Cargo package or workspace. */
export const rust: Framework = {
  name: "rust",
  recognisedBy: "a Cargo.toml",
  recognise: (files) => (files.list().includes("Cargo.toml") ? "Cargo.toml at the repository's root" : undefined),
  plan: planRust,
};

function planRust(files: FileTree, input: PlanInput): Omit<BuildPlan, "framework" | "reason"> {
  // A user's own command makes a program where it says, which its own start command names; else Cargo's is looked for.
  const program = input.build !== undefined && input.start !== undefined ? undefined : chooseCargoProgram(files);
  const { port, notes } = programPort(input, program?.source ?? "");
  const lines = [
    ...buildStage(files, input, program),
    "",
    ...programStage(files, input, {
      sources: "/src",
      keepsSources: program === undefined,
      isLinked: true,
      port,
      start: ["app"],
      names: program === undefined ? [] : [program.name],
    }),
  ];
  return { dockerfile: { text: `${lines.join("\n")}\n` }, port, notes: [...notes, ...furtherNotes(files, program)] };
}

function furtherNotes(files: FileTree, program: CargoProgram | undefined): string[] {
  const result: string[] = [];
  if (program?.isGuess) {
    result.push(`There are several Rust programs, of which ${program.name} is built. Set \`default-run\` for another.`);
  }
  if (!files.list().includes("Cargo.lock")) {
    result.push("There is no Cargo.lock, so each build may get other versions of the dependencies. Commit one.");
  }
  return result;
}

/**
 * Dependencies are not built in a layer of their own: Cargo knows better than layers do what a change affects, and keeps
 * what it has built in the app's cache.
 */
function buildStage(files: FileTree, input: PlanInput, program: CargoProgram | undefined): string[] {
  const registry = cacheMount(input.appId, "cargo", "/usr/local/cargo/registry");
  const target = `${cacheMount(input.appId, "cargo-target", "/src/target")},sharing=locked`;
  // A shell of its own: a `cd` or a comment in a user's command ends with it.
  const build = input.build === undefined ? cargoBuild(files, program) : `/bin/sh -c ${shellWord(input.build)}`;
  return [
    `FROM ${BASE_IMAGES.rust} AS build`,
    "ENV CARGO_PROFILE_RELEASE_STRIP=symbols CARGO_TERM_COLOR=never",
    "WORKDIR /src",
    "COPY . .",
    ...buildEnvInstructions(input.buildEnvKeys),
    runInstruction([FRESH_SOURCES, build, collect(program)].join(" && "), `${registry} ${target}`),
    // The cache is not part of the stage, and a user's own start command names what is in it.
    ...(program ? [] : ["RUN mkdir -p target && mv /out/bin target/release"]),
  ];
}

/** The program, and the libraries beyond the C library's own that it is linked with (OpenSSL's, a database's). */
function collect(program: CargoProgram | undefined): string {
  const linked = "ldd /out/bin/* | sed -n 's|.*=> \\(/[^ ]*\\) .*|\\1|p' | grep -vE '/(libc|libm|libgcc_s)[.]so'";
  const found = program
    ? `cp ${shellWord(`target/release/${program.name}`)} /out/bin/app`
    : "find target/release -maxdepth 1 -type f -executable -exec cp -t /out/bin {} +";
  return `mkdir -p /out/bin /out/lib && ${found} && { ${linked} | sort -u | xargs -r cp -Lt /out/lib; }`;
}

/** Cargo tells changes by time, and a layer of the build's cache may be older than what is in the app's. */
const FRESH_SOURCES = "find . -name '*.rs' -exec touch {} +";

function cargoBuild(files: FileTree, program: CargoProgram | undefined): string {
  const locked = files.list().includes("Cargo.lock") ? " --locked" : "";
  const chosen = program ? ` --package ${shellWord(program.package)} --bin ${shellWord(program.name)}` : "";
  return `cargo build --release${locked}${chosen}`;
}
