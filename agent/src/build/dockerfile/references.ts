import type { Flag, Instruction } from "./text/instruction.ts";
import { quoted, refused } from "./text/refusal.ts";

/**
 * Lists the names in `--from` and `from=`. They hold no variables: BuildKit replaces none there.
 * @throws SvcError build_failed
 */
export function namesOf(instruction: Instruction): string[] {
  const names: string[] = [];
  for (const flag of instruction.flags) renamed(instruction, flag, (name) => (names.push(name), name));
  const name = names.find((one) => /[$"'\\`]/.test(one));
  if (name === undefined) return names;
  throw refused(instruction, `${quoted(name)} holds a variable. Name a stage, and use the variable in its FROM.`);
}

/** The flag with another name in place of each that it has. */
export function renamed(instruction: Instruction, flag: Flag, rename: (name: string) => string): Flag {
  const { name, value = "" } = flag;
  if (instruction.name === "COPY" && name === "from") return { name, value: rename(value) };
  if (instruction.name !== "RUN" || name !== "mount") return flag;
  if (value.includes('"')) throw refused(instruction, "a --mount may hold no quotes. Write type=…,target=… plainly.");
  const fields = value.split(",").map((field) => {
    const [key = ""] = field.split("=", 1);
    return key.trim().toLowerCase() === "from" ? `from=${rename(field.slice(key.length + 1))}` : field;
  });
  return { name, value: fields.join(",") };
}
