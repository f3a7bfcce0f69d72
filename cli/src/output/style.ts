/** Words in colour, or as they are. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  green(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
}

const SEQUENCES = { bold: [1, 22], dim: [2, 22], green: [32, 39], red: [31, 39], yellow: [33, 39] } as const;

/** Colours on a terminal, unless NO_COLOR is set to anything (no-color.org) or the terminal can't show them. */
export function styleOf(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): Style {
  const hasColours = isTerminal && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
  const paint = (name: keyof typeof SEQUENCES) => {
    const [on, off] = SEQUENCES[name];
    return (text: string): string => (hasColours ? `\u001b[${on}m${text}\u001b[${off}m` : text);
  };
  return {
    bold: paint("bold"),
    dim: paint("dim"),
    green: paint("green"),
    red: paint("red"),
    yellow: paint("yellow"),
  };
}
