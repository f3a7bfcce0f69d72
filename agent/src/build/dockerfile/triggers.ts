import { classifySource } from "./add-source.ts";
import { readInstructions, type Instruction } from "./text/instruction.ts";
import { quoted, refused, type Place } from "./text/refusal.ts";
import { requirePlainSpace } from "./text/white-space.ts";
import { copyWords } from "./text/words.ts";

/**
 * Checks what ONBUILD keeps for the builds that start from its stage or image. It runs in those as it is, so it may name
 * no image and fetch nothing. @throws SvcError build_failed
 */
export function requireTrigger(text: string, place: Place, hasHeredocs: boolean): Instruction {
  // A trigger of an image is not written anew, so nothing in it may be read in two ways.
  requirePlainSpace({ ...place, name: "ONBUILD" }, text);
  const instruction = readTrigger(text, place, hasHeredocs);
  const { name, flags, rest } = instruction;
  const isReaching = flags.some((flag) => flag.name === "from" || flag.name === "mount" || name === "RUN");
  if (isReaching) throw refused(place, `${quoted(text)} has flags that reach beyond its own build. Write it without.`);
  if (name !== "ADD") return instruction;
  const sources = copyWords({ ...place, rest }).slice(0, -1);
  const isPlain = sources.every((source) => !/[$"'\\`]/.test(source) && classifySource(source) === "file");
  if (!isPlain) throw refused(place, `${quoted(text)} may fetch something. Name files of the repository only.`);
  return instruction;
}

/**
 * Checks the triggers of an image of a registry. They run before anything of the build's owner does, so that what they
 * run would be cached for all owners. @throws SvcError build_failed
 */
export function requireHarmlessTriggers(triggers: readonly string[], image: string, place: Place): void {
  for (const trigger of triggers) {
    try {
      const { name } = requireTrigger(trigger, place, false);
      if (name !== "RUN") continue;
    } catch {
      // The sentence below says it for images.
    }
    throw refused(
      place,
      `the image ${quoted(image)} has the trigger ONBUILD ${quoted(trigger)}, which could run or fetch something ahead of this build. ` +
        "Use an image without it, and write the instruction into the Dockerfile.",
    );
  }
}

function readTrigger(text: string, place: Place, hasHeredocs: boolean): Instruction {
  const { instructions } = readInstructions(text, hasHeredocs);
  const [instruction] = instructions;
  const isOne = instructions.length === 1 && !text.includes("\n") && instruction!.heredocs.length === 0;
  if (!isOne || ["ONBUILD", "FROM", "MAINTAINER"].includes(instruction!.name)) {
    throw refused(place, `${quoted(text)} is not one instruction that a later build can run.`);
  }
  return instruction!;
}
