/** A control sequence of a terminal (ECMA-48, "Control sequences"), or another control character than a tab and the end of a line. */
const CONTROLS = new RegExp(String.raw`\u001b\[[0-?]*[ -/]*[@-~]|(?![\t\n])\p{Cc}`, "gu");

/** The text that a log's lines show, without the colors that they have in a terminal. */
export function withoutControls(text: string): string {
  return text.replaceAll(CONTROLS, "");
}
