import type { Additions, AddPlan, Fetch } from "./additions.ts";
import { instructionText, type Instruction } from "./text/instruction.ts";
import type { ImageName } from "./image-name.ts";
import { renamed } from "./references.ts";
import { findReference, OWNER_STAGE, type Dockerfile, type Stage } from "./stages.ts";
import { requireTrigger } from "./triggers.ts";
import { arrayText } from "./text/white-space.ts";
import { copyWords } from "./text/words.ts";

/** The parts that a build's text is written with. */
export interface Writing {
  additions: Additions;
  /** Part of every cache record of the owner, and of nobody else's. */
  salt: string;
  /** Name of the image that holds what was fetched, and the path of each file in it. */
  fetched: { image: string; pathOf: (fetch: Fetch) => string };
  /** Returns where this host gets an image. */
  resolveImage: (image: ImageName) => string;
}

export interface CanonicalText {
  text: string;
  /** The line of the file that each line of the text comes from; 0 for ours. */
  lines: readonly number[];
  /** An instruction that was written anew → as its author wrote it. */
  shown: ReadonlyMap<string, string>;
  /** The index in the file of each stage of the text, ours among them; undefined for ours. */
  stageIndexes: readonly (number | undefined)[];
  /** Stages that have a layer of ours, by the names that BuildKit gives them. */
  salted: ReadonlySet<string>;
}

/**
 * The Dockerfile as BuildKit is given it: one instruction a line, neither comment nor directive but `escape`, each name
 * resolved, no stage that the last one does not reach, and after each FROM of an image an empty layer that is the owner's.
 */
export function canonicalText(dockerfile: Dockerfile, writing: Writing): CanonicalText {
  const { escape, globals, stages } = dockerfile;
  const page = new Page();
  if (escape !== "\\") page.add(0, `# escape=${escape}`);
  for (const instruction of globals) page.add(instruction.line, instructionText(instruction));
  // A copy's key holds the base name of what it copies, whatever is in it.
  page.add(0, `FROM scratch AS ${OWNER_STAGE}`, `WORKDIR /${writing.salt}`);
  stages.forEach((stage, index) => {
    if (!stage.isReached) return;
    page.stageIndexes.push(index);
    page.add(stage.from.line, fromText(stage, stages, writing));
    if (stage.base.kind !== "stage") {
      page.add(0, `COPY --from=${OWNER_STAGE} /${writing.salt} /`);
      page.salted.add(stage.name ?? `stage-${page.stageIndexes.length - 1}`);
    }
    for (const instruction of stage.instructions) {
      const texts = rewritten(instruction, index, dockerfile, writing, page.stageIndexes);
      for (const text of texts) {
        page.add(instruction.line, text);
        if (text !== instructionText(instruction)) page.show(text, instruction.shown);
      }
    }
  });
  return page;
}

class Page implements CanonicalText {
  readonly lines: number[] = [];
  readonly shown = new Map<string, string>();
  readonly salted = new Set<string>();
  readonly stageIndexes: (number | undefined)[] = [undefined];
  #texts: string[] = [];

  get text(): string {
    return `${this.#texts.join("\n")}\n`;
  }

  add(line: number, ...texts: string[]): void {
    this.#texts.push(...texts);
    for (const text of texts) text.split("\n").forEach(() => this.lines.push(line));
  }

  show(text: string, shown: string): void {
    this.shown.set(text, shown);
  }
}

function fromText({ name, base }: Stage, stages: readonly Stage[], { resolveImage }: Writing): string {
  const suffix = name === undefined ? "" : ` AS ${name}`;
  if (base.kind === "scratch") return `FROM scratch${suffix}`;
  return `FROM ${base.kind === "stage" ? stages[base.index]!.name : resolveImage(base.image)}${suffix}`;
}

function rewritten(
  instruction: Instruction,
  index: number,
  { stages }: Dockerfile,
  writing: Writing,
  stageIndexes: readonly (number | undefined)[],
): string[] {
  const plan = writing.additions.get(instruction);
  if (plan !== undefined) return addTexts(instruction, plan, writing);
  if (instruction.name === "ONBUILD") return [triggerText(instruction)];
  const named = (name: string): string => {
    const found = findReference(instruction, name, index, stages);
    if (found.kind === "scratch") return name;
    if (found.kind === "image") return writing.resolveImage(found.image);
    return stages[found.index]!.name ?? String(stageIndexes.indexOf(found.index));
  };
  return [
    instructionText({ ...instruction, flags: instruction.flags.map((flag) => renamed(instruction, flag, named)) }),
  ];
}

/** BuildKit splits no word of an ADD: neither here nor in the builds that a trigger is kept for. */
function triggerText(instruction: Instruction): string {
  const trigger = requireTrigger(instruction.rest, instruction, false);
  if (trigger.name !== "ADD") return instructionText(instruction);
  return instructionText({
    ...instruction,
    rest: instructionText({ ...trigger, rest: arrayText(copyWords(trigger)) }),
  });
}

function addTexts(instruction: Instruction, { parts, target }: AddPlan, { fetched }: Writing): string[] {
  const flags = instruction.flags.filter(({ name }) => name !== "checksum");
  return parts.map((part) => {
    if ("sources" in part)
      return instructionText({ ...instruction, flags, rest: arrayText([...part.sources, target]) });
    const from = { name: "from", value: fetched.image };
    const rest = arrayText([fetched.pathOf(part.fetch), target]);
    return instructionText({ name: "COPY", flags: [from, ...flags], rest, heredocs: [] });
  });
}
