import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { Terminal } from "../output/terminal.ts";
import { liveView } from "./live-view.ts";

/** A view, and what of its output is redrawn: all since it was last erased. */
function open() {
  let written = "";
  const out = { write: (text: string) => void (written += text), isTTY: true, columns: 60 };
  const view = liveView(new Terminal({ stdin: Readable.from([]), stdout: out, stderr: out, env: {}, json: false }));
  return { view, drawn: () => written.split("\u001b[J").at(-1)! };
}

test("the wait is drawn at once, stays below what is said meanwhile, and goes when the steps begin", () => {
  const { view, drawn } = open();
  try {
    view.show({ type: "doing", what: "Asking the service" });
    expect(drawn()).toMatch(/^\S Asking the service\n$/);
    view.show({ type: "log", step: null, line: "A note." });
    expect(drawn()).toMatch(/A note\.\n\S Asking the service\n$/);
    view.show({ type: "deploy", deploy_id: "1", ref: null, release: "v1", status: "running" });
    expect(drawn()).toMatch(/^Deploying as v1\n.*provision_db/);
    expect(drawn()).not.toContain("Asking");
  } finally {
    view.close();
  }
});

test("a failure takes the place of what svc waited for", () => {
  const { view, drawn } = open();
  view.show({ type: "doing", what: "Asking the service" });
  view.show({ type: "error", code: "unreachable", message: "It is away.", exit: 4 });
  view.close();
  expect(drawn()).toContain("It is away.");
  expect(drawn()).not.toContain("Asking");
});
