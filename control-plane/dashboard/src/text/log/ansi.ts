/** A part of a line that looks the same: names of classes, which a strict policy lets the style sheet give their look. */
export interface Run {
  text: string;
  classes: string;
}

/**
 * Finds control sequences (ECMA-48: CSI, OSC and shorter ones) and other control characters. The first group holds the
 * parameters of a CSI, the second its final character.
 */
const SEQUENCE =
  // oxlint-disable-next-line no-control-regex
  /\x1b\[([0-9;:?<=>]*)[ -/]*([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-Z\\^-~]|[\x00-\x08\x0b-\x1f\x7f]/g;

/** Each run is an element: 16 KiB may hold thousands, and a screen of such lines would take seconds to draw. */
const RUNS_MAX = 100;

const FLAGS: Readonly<Record<number, string>> = { 1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "inverse" };
const FLAGS_OFF: Readonly<Record<number, readonly string[]>> = {
  22: ["bold", "dim"],
  23: ["italic"],
  24: ["underline"],
  27: ["inverse"],
};

/**
 * Splits a line of a terminal into runs of one look; what can't be shown as text is left out. The last of RUNS_MAX runs has
 * the rest of the line.
 */
export function ansiRuns(line: string): Run[] {
  const last = line.includes("\r") ? lastOverwrite(line) : line;
  const runs: Run[] = [];
  const look = new Look();
  let at = 0;
  const add = (text: string) => {
    const before = runs.at(-1);
    if (before !== undefined && (runs.length === RUNS_MAX || before.classes === look.classes())) before.text += text;
    else if (text !== "") runs.push({ text, classes: look.classes() });
  };
  for (const match of last.matchAll(SEQUENCE)) {
    add(last.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[2] === "m") look.apply((match[1] ?? "").split(/[;:]/).map(Number));
  }
  add(last.slice(at));
  return runs;
}

/** The text of a line without its colors. */
export function plainText(line: string): string {
  return ansiRuns(line)
    .map(({ text }) => text)
    .join("");
}

/** A carriage return goes back to the start of the line, as bars of progress do: what was written last is seen. */
function lastOverwrite(line: string): string {
  return line.split("\r").findLast((part) => part !== "") ?? "";
}

/** How text looks from a point on (ECMA-48, "Select graphic rendition"). */
class Look {
  #text = "";
  #page = "";
  readonly #flags = new Set<string>();

  classes(): string {
    return [this.#text, this.#page, ...this.#flags].filter((name) => name !== "").join(" ");
  }

  apply(parameters: readonly number[]): void {
    for (let i = 0; i < parameters.length; i++) {
      const code = parameters[i]!;
      if (code === 38 || code === 48) {
        const [color, used] = extendedColor(parameters, i + 1);
        if (color !== undefined) this.#paint(code === 38, color);
        i += used;
      } else this.#applyOne(code);
    }
  }

  #applyOne(code: number): void {
    const flag = FLAGS[code];
    if (code === 0) this.#reset();
    else if (flag !== undefined) this.#flags.add(flag);
    else if (FLAGS_OFF[code] !== undefined) for (const off of FLAGS_OFF[code]) this.#flags.delete(off);
    else if (code >= 30 && code <= 37) this.#paint(true, code - 30);
    else if (code >= 90 && code <= 97) this.#paint(true, code - 82);
    else if (code >= 40 && code <= 47) this.#paint(false, code - 40);
    else if (code >= 100 && code <= 107) this.#paint(false, code - 92);
    else if (code === 39) this.#text = "";
    else if (code === 49) this.#page = "";
  }

  #paint(isText: boolean, color: number): void {
    if (isText) this.#text = `color-${color}`;
    else this.#page = `page-${color}`;
  }

  #reset(): void {
    this.#text = this.#page = "";
    this.#flags.clear();
  }
}

/** @returns one of the 16 colors, and how many parameters it took */
function extendedColor(parameters: readonly number[], at: number): [color: number | undefined, used: number] {
  if (parameters[at] === 5) return [nearest(paletteColor(parameters[at + 1] ?? 0)), 2];
  if (parameters[at] !== 2) return [undefined, 1];
  return [nearest([parameters[at + 1] ?? 0, parameters[at + 2] ?? 0, parameters[at + 3] ?? 0]), 4];
}

type Rgb = readonly [red: number, green: number, blue: number];

/** A color of the palette of 256: the first 16 as they are, a cube of 6 × 6 × 6, and 24 grays. */
function paletteColor(index: number): number | Rgb {
  if (index < 16) return index;
  if (index >= 232) {
    const gray = 8 + 10 * (index - 232);
    return [gray, gray, gray];
  }
  const level = (step: number) => (step === 0 ? 0 : 55 + 40 * step);
  const cube = index - 16;
  return [level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)];
}

/** The one of the 16 colors that comes closest: their looks are the style sheet's, and can be read on either page. */
function nearest(color: number | Rgb): number {
  if (typeof color === "number") return color;
  const strongest = Math.max(...color);
  if (strongest < 48) return 0;
  const bits = color.map((level) => (level > strongest / 2 ? 1 : 0));
  return (strongest > 170 ? 8 : 0) + bits[0]! + 2 * bits[1]! + 4 * bits[2]!;
}
