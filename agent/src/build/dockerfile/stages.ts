import { expand, type Variables } from "./text/expand.ts";
import { parseImageName, type ImageName } from "./image-name.ts";
import { readInstructions, type Instruction } from "./text/instruction.ts";
import type { Escape } from "./text/logical-lines.ts";
import { quoted, refused, type Place } from "./text/refusal.ts";
import { namesOf } from "./references.ts";
import { requireOfficialSyntax } from "./text/syntax.ts";
import { requireTrigger } from "./triggers.ts";
import { assignments } from "./text/words.ts";

/** The facts that a Dockerfile is read with. */
export interface BuildFacts {
  /** Whether the engine's own builder knows heredocs. */
  hasHeredocs: boolean;
  /** The engine's platform, as Go names it: `linux`, `amd64`. */
  platform: { os: string; architecture: string };
  buildArgs: Readonly<Record<string, string>>;
}

export type Base = { kind: "scratch" } | { kind: "stage"; index: number } | { kind: "image"; image: ImageName };

/** The stage whose one folder is copied into the others, so that its name becomes part of their caches' keys. */
export const OWNER_STAGE = "svc-owner";

/** Each stage is looked for among all others; no Dockerfile that a person wrote comes near. */
const STAGES_MAX = 100;

export interface Stage {
  /** Its name in lower case; undefined when it has none. */
  name: string | undefined;
  from: Instruction;
  base: Base;
  instructions: readonly Instruction[];
  /** Whether the last stage needs it. BuildKit skips the others, so they are read and left out. */
  isReached: boolean;
}

/** A Dockerfile whose every name is known to be one of its stages or an image of a registry. */
export interface Dockerfile {
  escape: Escape;
  /** The ARG instructions before the first stage. */
  globals: readonly Instruction[];
  globalVariables: Variables;
  stages: readonly Stage[];
  /** Every image that it names, with the place where it does, and whether a stage that is reached needs it. */
  images: readonly { image: ImageName; place: Place; isReached: boolean }[];
}

/** @throws SvcError build_failed naming line and instruction */
export function readDockerfile(text: string, facts: BuildFacts): Dockerfile {
  const { escape, syntax, instructions } = readInstructions(text, facts.hasHeredocs);
  requireOfficialSyntax(syntax);
  const first = instructions.findIndex(({ name }) => name === "FROM");
  if (first < 0) throw refused({ line: 1, name: "the file" }, "it has no FROM. Begin with the image to build from.");
  const globals = instructions.slice(0, first);
  const misplaced = globals.find(({ name }) => name !== "ARG");
  if (misplaced) throw refused(misplaced, "it stands before the first FROM, where only ARG may.");
  const globalVariables = readGlobals(globals, facts, escape);
  const stages: Stage[] = [];
  const parts = cutAtFrom(instructions.slice(first));
  const excess = parts[STAGES_MAX]?.[0];
  if (excess) throw refused(excess, `it is one of more than ${STAGES_MAX} stages. Use fewer.`);
  for (const part of parts) {
    stages.push(readStage(part, stages, { facts, escape, globalVariables }));
  }
  const named = stages.map((stage, index) => basesOf(stage, index, stages, facts));
  markReached(stages.length - 1, stages, named);
  const images = named.flatMap((bases, index) =>
    bases.flatMap(({ base, place }) =>
      base.kind === "image" ? [{ image: base.image, place, isReached: stages[index]!.isReached }] : [],
    ),
  );
  return { escape, globals, globalVariables, stages, images };
}

function readGlobals(globals: readonly Instruction[], facts: BuildFacts, escape: Escape): Variables {
  const { os, architecture } = facts.platform;
  const variables = new Map<string, string | undefined>();
  for (const side of ["BUILD", "TARGET"]) {
    variables.set(`${side}PLATFORM`, `${os}/${architecture}`);
    variables.set(`${side}OS`, os);
    variables.set(`${side}ARCH`, architecture);
    variables.set(`${side}VARIANT`, "");
  }
  for (const instruction of globals) {
    for (const { name, value, isGiven } of assignments(instruction, variables, escape)) {
      if (Object.hasOwn(facts.buildArgs, name)) variables.set(name, facts.buildArgs[name]);
      else if (isGiven) variables.set(name, value);
    }
  }
  return variables;
}

function cutAtFrom(instructions: readonly Instruction[]): Instruction[][] {
  const parts: Instruction[][] = [];
  for (const instruction of instructions) {
    if (instruction.name === "FROM") parts.push([instruction]);
    else parts.at(-1)!.push(instruction);
  }
  return parts;
}

interface Reading {
  facts: BuildFacts;
  escape: Escape;
  globalVariables: Variables;
}

function readStage([from, ...instructions]: Instruction[], before: readonly Stage[], reading: Reading): Stage {
  const [, word, name] = /^(\S+)(?:\s+as\s+(\S+))?$/i.exec(from!.rest) ?? [];
  if (word === undefined) throw refused(from!, `${quoted(from!.rest)} has to be IMAGE, or IMAGE AS NAME.`);
  requirePlatform(from!, reading);
  const base = readBase(from!, word, before, reading);
  return { name: readStageName(from!, name, before), from: from!, base, instructions, isReached: false };
}

function readStageName(from: Place, given: string | undefined, before: readonly Stage[]): string | undefined {
  const name = given?.toLowerCase();
  if (name === undefined) return undefined;
  if (!/^[a-z][a-z0-9_.-]*$/.test(name)) throw refused(from, `${quoted(name)} cannot be the name of a stage.`);
  if (["scratch", "context", OWNER_STAGE].includes(name)) {
    throw refused(from, `the name ${quoted(name)} is reserved. Give the stage another.`);
  }
  if (before.some((stage) => stage.name === name)) {
    throw refused(from, `an earlier stage is named ${quoted(name)} already. Give each stage a name of its own.`);
  }
  return name;
}

function readBase(from: Place, word: string, before: readonly Stage[], reading: Reading): Base {
  const name = expand(word, reading.globalVariables, reading.escape);
  if (!name) {
    const advice = "Declare its variables with ARG and a default before the first FROM.";
    throw refused(from, `it cannot be told which image ${quoted(word)} is. ${advice}`);
  }
  const index = before.findIndex((stage) => stage.name === name.toLowerCase());
  if (index >= 0) return { kind: "stage", index };
  if (name === "scratch") return { kind: "scratch" };
  return { kind: "image", image: requireImageName(from, name) };
}

function requireImageName(place: Place, name: string): ImageName {
  const image = parseImageName(name);
  if (image === undefined) throw refused(place, `${quoted(name)} is neither a stage nor the name of an image.`);
  return image;
}

/** An image of another platform would run nothing here, and the engine would look for it past what was checked. */
function requirePlatform(from: Instruction, { facts, escape, globalVariables }: Reading): void {
  const { os, architecture } = facts.platform;
  for (const { value = "" } of from.flags) {
    const platform = expand(value, globalVariables, escape);
    const aliases: Record<string, string> = { x86_64: "amd64", aarch64: "arm64" };
    const [itsOs, itsArchitecture = ""] = platform?.toLowerCase().split("/") ?? [];
    if (itsOs === os && (aliases[itsArchitecture] ?? itsArchitecture) === architecture) continue;
    const shown = quoted(platform ?? value);
    throw refused(from, `--platform is ${shown}; this server builds for ${os}/${architecture}. Remove the flag.`);
  }
}

interface Named {
  base: Base;
  place: Place;
}

/** All that a stage names, after a check of that and of what it asks its builder for. */
function basesOf(stage: Stage, index: number, stages: readonly Stage[], facts: BuildFacts): Named[] {
  const named = stage.instructions.flatMap((instruction) => {
    if (instruction.name === "ONBUILD") requireTrigger(instruction.rest, instruction, facts.hasHeredocs);
    if (instruction.name === "RUN") requirePlainRun(instruction);
    return namesOf(instruction).map((name) => {
      return { base: findReference(instruction, name, index, stages), place: instruction };
    });
  });
  return [{ base: stage.base, place: stage.from }, ...named];
}

function markReached(index: number, stages: readonly Stage[], named: readonly (readonly Named[])[]): void {
  if (stages[index]!.isReached) return;
  stages[index]!.isReached = true;
  for (const { base } of named[index]!) if (base.kind === "stage") markReached(base.index, stages, named);
}

/** Tells what a name after `from` is. @throws SvcError build_failed when it is neither an earlier stage nor an image */
export function findReference(instruction: Instruction, name: string, index: number, stages: readonly Stage[]): Base {
  const isNumber = /^[0-9]+$/.test(name) && instruction.name === "COPY";
  const found = isNumber ? Number(name) : stages.findIndex((stage) => stage.name === name.toLowerCase());
  if (found >= index)
    throw refused(instruction, `${quoted(name)} is no earlier stage. Move that stage before this one.`);
  if (found >= 0) return { kind: "stage", index: found };
  if (name === "scratch") return { kind: "scratch" };
  if (name.toLowerCase() === OWNER_STAGE) throw refused(instruction, `the name ${quoted(name)} is reserved.`);
  return { kind: "image", image: requireImageName(instruction, name) };
}

function requirePlainRun(instruction: Instruction): void {
  for (const { name, value } of instruction.flags) {
    const isPlain = name === "mount" || value === (name === "network" ? "none" : "sandbox") || value === "default";
    if (isPlain) continue;
    const advice = "Builds run with the rights and the network of a build only. Remove the flag.";
    throw refused(instruction, `--${name}=${value ?? ""} is not permitted. ${advice}`);
  }
}
