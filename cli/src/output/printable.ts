// eslint-disable-next-line no-control-regex -- these are what must not reach a terminal
const CONTROLS = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Text of a build or an app, without what would move the cursor, change colours or a terminal's title. */
export function printable(text: string): string {
  // A program that redraws a line sends carriage returns; its last state is what counts.
  const last = text.replace(/\r+$/, "").split("\r").at(-1) ?? "";
  return last.replaceAll(CONTROLS, "").replaceAll("\t", "    ");
}
