import { SvcError } from "../../errors.ts";
import { DEFAULT_PORT } from "../../rules/frameworks.ts";
import { isPort } from "../../rules/port.ts";
import type { Framework, PlanInput } from "../framework.ts";

const PATH = "Dockerfile";

/** The repository's own Dockerfile, used as it is. */
export const dockerfile: Framework = {
  name: "dockerfile",
  recognisedBy: "a file named Dockerfile",
  ignoresProcfile: "The image is started as its Dockerfile says; the Procfile's `web` line is not used.",
  recognise: (files) => (files.read(PATH) === undefined ? undefined : "a Dockerfile at the repository's root"),
  plan: (files, input) => {
    const text = files.read(PATH);
    if (text === undefined) {
      throw new SvcError("framework_unknown", "The repository has no file named Dockerfile at its root. Add one.");
    }
    const exposed = exposedPorts(text);
    return {
      dockerfile: { path: PATH },
      port: input.port ?? exposed[0] ?? DEFAULT_PORT,
      notes: [...notes(input.port, exposed), ...commandNotes(input)],
    };
  },
};

function notes(given: number | undefined, exposed: readonly number[]): string[] {
  if (given !== undefined) return [];
  if (exposed.length === 0) {
    return [
      `The Dockerfile exposes no port, so the app must listen on ${DEFAULT_PORT} (or on PORT); set \`port\` otherwise.`,
    ];
  }
  if (exposed.length === 1) return [];
  return [`The Dockerfile exposes the ports ${exposed.join(", ")}; the first one is used. Set \`port\` for another.`];
}

/** Its image is made by itself alone: what builds it stands in it, and only what is started can be replaced later. */
function commandNotes({ build, start }: PlanInput): string[] {
  return [
    ...(build === undefined ? [] : ["`build` has no effect: the repository's own Dockerfile says how it is built."]),
    ...(start === undefined
      ? []
      : ["`start` takes the place of the Dockerfile's CMD; an ENTRYPOINT of it stays in front."]),
  ];
}

/** This is far more than any that a person wrote; from a larger one no port is read. */
const READ_CHARACTERS_MAX = 64 * 1024;

/**
 * TCP ports that the last stage exposes, in order, as far as they can be known without building: numbers, and
 * variables with a default in ARG or ENV.
 */
export function exposedPorts(text: string): number[] {
  if (text.length > READ_CHARACTERS_MAX) return [];
  const variables = new Map<string, string>();
  let ports: number[] = [];
  for (const [instruction, rest] of instructions(text)) {
    if (instruction === "FROM") ports = [];
    if (instruction === "ARG" || instruction === "ENV") assign(rest, variables);
    if (instruction === "EXPOSE") ports.push(...rest.split(/\s+/).flatMap((word) => portOf(word, variables)));
  }
  return [...new Set(ports)];
}

/** Instruction and the rest of its line, with continued lines joined and comments left out. */
function* instructions(text: string): Generator<[string, string]> {
  let parts: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.trimStart().startsWith("#")) continue;
    const trimmed = line.trimEnd();
    parts.push(trimmed.endsWith("\\") ? trimmed.slice(0, -1) : trimmed);
    if (trimmed.endsWith("\\")) continue;
    yield* instruction(parts.join(" "));
    parts = [];
  }
  yield* instruction(parts.join(" "));
}

function* instruction(line: string): Generator<[string, string]> {
  const [name = "", ...rest] = line.trim().split(/\s+/);
  if (/^[A-Za-z]+$/.test(name) && rest.length > 0) yield [name.toUpperCase(), rest.join(" ")];
}

/** Keys longer than this are no names of ports. Bounded, for a key without its `=` is looked for from each of its letters. */
const ASSIGNMENT = /(?<!\w)([A-Za-z_]\w{0,255})=("[^"]{0,4096}"|'[^']{0,4096}'|\S*)/g;

function assign(rest: string, variables: Map<string, string>): void {
  const [, single, value] = /^([A-Za-z_]\w*)\s+(\S+)$/.exec(rest) ?? [];
  if (single !== undefined) variables.set(single, value!);
  for (const [, key, quoted] of rest.matchAll(ASSIGNMENT)) {
    variables.set(key!, quoted!.replace(/^(["'])(.*)\1$/, "$2"));
  }
}

function portOf(word: string, variables: ReadonlyMap<string, string>): number[] {
  const [name, protocol = "tcp"] = word.split("/");
  const value = name!.replace(/^\$\{?([A-Za-z_]\w*)(?::-(\d+))?\}?$/, (_all, key: string, fallback?: string) => {
    return variables.get(key) ?? fallback ?? "";
  });
  const isTcpPort = /^[0-9]+$/.test(value) && isPort(Number(value)) && protocol.toLowerCase() === "tcp";
  return isTcpPort ? [Number(value)] : [];
}
