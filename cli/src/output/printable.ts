/** Sequences that colour text or move the cursor (CSI) and that set a terminal's title (OSC), and single controls. */
const CONTROLS = new RegExp(
  [
    String.raw`\u001b\[[0-?]*[ -/]*[@-~]`,
    String.raw`\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?`,
    String.raw`[\u0000-\u0008\u000a-\u001f\u007f-\u009f]`,
  ].join("|"),
  "g",
);

/** A line of a build or an app, without what would move the cursor, change colours or a terminal's title. */
export function printable(line: string): string {
  // A program that redraws a line sends carriage returns; its last state is what counts.
  const last = line.replace(/\r+$/, "").split("\r").at(-1) ?? "";
  return last.replaceAll(CONTROLS, "").replaceAll("\t", "    ");
}

/** The same for a text of several lines. */
export function printableText(text: string): string {
  return text.split("\n").map(printable).join("\n");
}
