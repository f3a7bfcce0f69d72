import { classifySource } from "./add-source.ts";
import { expand, literal } from "./expand.ts";
import type { Instruction } from "./instruction.ts";
import { quoted, refused } from "./refusal.ts";
import type { BuildFacts, Dockerfile, Stage } from "./stages.ts";
import { assignments, copyWords } from "./words.ts";

/** A file that an ADD fetches. */
export interface Fetch {
  instruction: Instruction;
  url: URL;
  /** What `--checksum` asks for: the SHA-256 in hex. */
  sha256: string | undefined;
}

/** An ADD, its sources in the order in which they stand: files of the context, or one that is fetched. */
export interface AddPlan {
  parts: readonly ({ sources: readonly string[] } | { fetch: Fetch })[];
  /** Where to, with its variables. */
  target: string;
}

/** By instruction: each ADD that fetches something, or whose sources hold variables. */
export type Additions = ReadonlyMap<Instruction, AddPlan>;

/**
 * Finds out what each ADD adds.
 * @param environmentOf the variables that an image of a registry sets, `NAME=value` each, by its full name
 * @throws SvcError build_failed when a source cannot be known before the build, or is none that a build may fetch
 */
export function planAdditions(
  { escape, stages, globalVariables }: Dockerfile,
  facts: BuildFacts,
  environmentOf: (image: string) => readonly string[],
): Additions {
  const additions = new Map<Instruction, AddPlan>();
  const environments: Map<string, string | undefined>[] = [];
  for (const stage of stages) {
    const env = new Map(inherited(stage, environments, environmentOf));
    const args = new Map<string, string | undefined>();
    // Nothing that is reached starts from one that is not.
    for (const instruction of stage.isReached ? stage.instructions : []) {
      const variables = new Map([...args, ...env]);
      if (instruction.name === "ENV") {
        for (const { name, value } of assignments(instruction, variables, escape)) env.set(name, value);
      } else if (instruction.name === "ARG") {
        for (const { name, value, isGiven } of assignments(instruction, variables, escape)) {
          if (Object.hasOwn(facts.buildArgs, name)) args.set(name, facts.buildArgs[name]);
          else if (isGiven) args.set(name, value);
          else if (globalVariables.has(name)) args.set(name, globalVariables.get(name));
        }
      } else if (instruction.name === "ADD") {
        const plan = planAdd(instruction, (word) => expand(word, variables, escape));
        if (plan !== undefined) additions.set(instruction, plan);
      }
    }
    environments.push(env);
  }
  return additions;

  function planAdd(instruction: Instruction, expanded: (word: string) => string | undefined): AddPlan | undefined {
    const words = copyWords(instruction);
    const target = words.pop()!;
    // BuildKit is given what was checked, not what it would have to work out once more.
    const sources = words.map((word) =>
      instruction.heredocs.some((one) => one.word === word) ? word : known(instruction, word, expanded(word)),
    );
    if (sources.every((source, at) => classifySource(source) === "file" && source === words[at])) return undefined;
    if (instruction.heredocs.length > 0)
      throw refused(instruction, "it mixes heredocs with variables or addresses. Write an ADD for each.");
    const parts: AddPlan["parts"][number][] = sources.map((source) =>
      classifySource(source) === "file"
        ? { sources: [literal(source, escape)] }
        : { fetch: fetchOf(instruction, source) },
    );
    return { parts, target };
  }
}

function inherited(
  { base }: Stage,
  environments: readonly Map<string, string | undefined>[],
  environmentOf: (image: string) => readonly string[],
): Iterable<[string, string | undefined]> {
  if (base.kind === "stage") return environments[base.index]!;
  if (base.kind === "scratch") return [];
  return environmentOf(base.image.full).map((pair) => {
    const at = pair.indexOf("=");
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
}

function known(instruction: Instruction, word: string, source: string | undefined): string {
  if (source !== undefined) return source;
  throw refused(instruction, `it cannot be told before the build what ${quoted(word)} is. Write it without variables.`);
}

function fetchOf(instruction: Instruction, source: string): Fetch {
  const kind = classifySource(source);
  if (kind === "git") {
    throw refused(instruction, "it names a git repository. Clone it in a RUN, or make it a submodule of your own.");
  }
  // An address that may hold a password is not repeated.
  if (kind !== "http" || !URL.canParse(source)) throw refused(instruction, "its source is no http or https address.");
  const url = new URL(source);
  if (url.username !== "" || url.password !== "") {
    throw refused(instruction, "its address holds a name or a password. Fetch it in a RUN with a secret of its own.");
  }
  url.hash = "";
  const flag = instruction.flags.find(({ name }) => name === "unpack" || name === "keep-git-dir");
  if (flag) throw refused(instruction, `--${flag.name} is not supported for an address. Remove the flag.`);
  return { instruction, url, sha256: checksumOf(instruction) };
}

function checksumOf(instruction: Instruction): string | undefined {
  const checksum = instruction.flags.find(({ name }) => name === "checksum")?.value;
  if (checksum === undefined) return undefined;
  const [, hex] = /^sha256:([0-9a-f]{64})$/.exec(checksum) ?? [];
  if (hex === undefined) throw refused(instruction, `--checksum is ${quoted(checksum)}; it has to be sha256:… in hex.`);
  return hex;
}
