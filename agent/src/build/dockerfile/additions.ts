import { classifySource, isWebAddress } from "./add-source.ts";
import { expand, literal, type Variables } from "./text/expand.ts";
import type { Instruction } from "./text/instruction.ts";
import { quoted, refused } from "./text/refusal.ts";
import { readRepositorySource, type RepositorySource } from "./repository-source.ts";
import type { BuildFacts, Dockerfile, Stage } from "./stages.ts";
import { assignments, copyWords } from "./text/words.ts";

/** A fetch that an ADD asks for. */
export type Fetch = FileFetch | RepositoryFetch;

export interface FileFetch {
  kind: "file";
  instruction: Instruction;
  url: URL;
  /** The SHA-256 that `--checksum` asks for, in hex. */
  sha256: string | undefined;
}

export interface RepositoryFetch extends RepositorySource {
  kind: "repository";
  instruction: Instruction;
}

/** An ADD, its sources in the order in which they stand: files of the context, or one that is fetched. */
export interface AddPlan {
  parts: readonly ({ sources: readonly string[] } | { fetch: Fetch })[];
  /** The target, with its variables. */
  target: string;
}

/** Plans by instruction: each ADD but those with heredocs, so that BuildKit splits no word of them itself. */
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
  const environments: Scope[] = [];
  for (const stage of stages) {
    const env = environmentOfStage(stage, environments, environmentOf);
    const args = new Map<string, string | undefined>();
    const variables: Variables = {
      has: (name) => env.has(name) || args.has(name),
      get: (name) => (env.has(name) ? env : args).get(name),
    };
    // Nothing that is reached starts from one that is not.
    for (const instruction of stage.isReached ? stage.instructions : []) {
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
    const heredocs = new Set(instruction.heredocs.map(({ word }) => word));
    const target = words.pop()!;
    // BuildKit is given what was checked, not what it would have to work out once more.
    const sources = words.map((word) => (heredocs.has(word) ? word : known(instruction, word, expanded(word))));
    const areFiles = sources.every((source) => classifySource(source) === "file");
    if (heredocs.size > 0) {
      if (areFiles && sources.every((source, at) => source === words[at])) return undefined;
      throw refused(instruction, "it mixes heredocs with variables or addresses. Write an ADD for each.");
    }
    if (areFiles) return { parts: [{ sources: sources.map((source) => literal(source, escape)) }], target };
    const parts: AddPlan["parts"][number][] = sources.map((source) =>
      classifySource(source) === "file"
        ? { sources: [literal(source, escape)] }
        : { fetch: fetchOf(instruction, source) },
    );
    return { parts, target };
  }
}

/** A stage's variables above those of the stage that it starts from, which are not copied: a file may have many of both. */
class Scope implements Variables {
  readonly #own: Map<string, string | undefined>;
  readonly #below: Scope | undefined;

  constructor(own: Iterable<[string, string]>, below?: Scope) {
    this.#own = new Map(own);
    this.#below = below;
  }

  has(name: string): boolean {
    return this.#own.has(name) || (this.#below?.has(name) ?? false);
  }

  get(name: string): string | undefined {
    return this.#own.has(name) ? this.#own.get(name) : this.#below?.get(name);
  }

  set(name: string, value: string | undefined): void {
    this.#own.set(name, value);
  }
}

function environmentOfStage(
  { base }: Stage,
  environments: readonly Scope[],
  environmentOf: (image: string) => readonly string[],
): Scope {
  if (base.kind === "stage") return new Scope([], environments[base.index]!);
  if (base.kind === "scratch") return new Scope([]);
  return new Scope(
    environmentOf(base.image.full).map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

function known(instruction: Instruction, word: string, source: string | undefined): string {
  if (source !== undefined) return source;
  throw refused(
    instruction,
    `it cannot be told before the build what ${quoted(word)} is. Write it without variables, in at most 4,096 characters.`,
  );
}

function fetchOf(instruction: Instruction, source: string): Fetch {
  const kind = classifySource(source);
  if (kind === "git" && !isWebAddress(source)) {
    throw refused(
      instruction,
      "it names a git repository otherwise than by https. Name it as https://host/owner/name.git, or clone it in a RUN.",
    );
  }
  // An address that may hold a password is not repeated.
  if (kind === "other" || !URL.canParse(source)) throw refused(instruction, "its source is no http or https address.");
  const url = new URL(source);
  if (url.username !== "" || url.password !== "") {
    throw refused(instruction, "its address holds a name or a password. Fetch it in a RUN with a secret of its own.");
  }
  const flag = instruction.flags.find(({ name }) => name === "unpack" || name === "keep-git-dir");
  if (flag) throw refused(instruction, `--${flag.name} is not supported for an address. Remove the flag.`);
  if (kind === "git") return repositoryFetchOf(instruction, source);
  url.hash = "";
  return { kind: "file", instruction, url, sha256: checksumOf(instruction) };
}

function repositoryFetchOf(instruction: Instruction, source: string): RepositoryFetch {
  if (instruction.flags.some(({ name }) => name === "checksum")) {
    throw refused(
      instruction,
      "--checksum is not supported for a git repository. Name the commit by its SHA behind a # instead.",
    );
  }
  return { kind: "repository", instruction, ...readRepositorySource(source, instruction) };
}

function checksumOf(instruction: Instruction): string | undefined {
  const checksum = instruction.flags.find(({ name }) => name === "checksum")?.value;
  if (checksum === undefined) return undefined;
  const [, hex] = /^sha256:([0-9a-f]{64})$/.exec(checksum) ?? [];
  if (hex === undefined) throw refused(instruction, `--checksum is ${quoted(checksum)}; it has to be sha256:… in hex.`);
  return hex;
}
