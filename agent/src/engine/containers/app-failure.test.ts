import { describe, expect, test } from "vitest";
import { explainExit, explainNotListening, hintWhileSilent } from "./app-failure.ts";

const MIB = 1024 * 1024;

describe("an exit", () => {
  test("by SIGKILL out of memory names the cap", () => {
    const error = explainExit({ exitCode: 137, outOfMemory: true }, 512 * MIB, ["last words"]);
    expect(error.code).toBe("app_out_of_memory");
    expect(error.message).toContain("512 MiB");
    expect(error.message).toContain("last words");
  });

  test("by SIGKILL alone is not called out of memory", () => {
    expect(explainExit({ exitCode: 137, outOfMemory: false }, MIB, []).code).toBe("app_exited");
  });

  test("of an app that only lost a child to the cap keeps its own exit code", () => {
    const error = explainExit({ exitCode: 1, outOfMemory: true }, 64 * MIB, []);
    expect(error.code).toBe("app_exited");
    expect(error.message).toContain("exit code 1");
    expect(error.message).toContain("64 MiB");
  });

  test("quotes long log lines only in part", () => {
    const { message } = explainExit({ exitCode: 1, outOfMemory: false }, MIB, ["x".repeat(100_000)]);
    expect(message.length).toBeLessThan(1000);
  });
});

describe("silence on the port", () => {
  const app = { port: 3000, probeSeconds: 60, refusal: "ECONNREFUSED", logLines: [] };
  test.each([
    ["nothing", [], "no port at all"],
    ["another port", [{ port: 8080, loopback: false }], "on port 8080. Put `port: 8080` into svc.yaml"],
    ["loopback only", [{ port: 3000, loopback: true }], "only on 127.0.0.1. Nothing outside"],
    ["another port of loopback", [{ port: 5000, loopback: true }], "on 0.0.0.0, with `port: 5000` in svc.yaml"],
    ["the port, behind a firewall", [{ port: 3000, loopback: false }], "firewall"],
    ["who knows", undefined, "listen on 0.0.0.0 and on $PORT"],
  ])("with %s says what to do", (_, sockets, remedy) => {
    const error = explainNotListening({ ...app, sockets });
    expect(error.code).toBe("app_not_listening");
    expect(error.message).toContain("port 3000 within 60 s");
    expect(error.message).toContain(remedy);
  });

  test("says that a port in the settings goes before the one of svc.yaml, wherever it names that file", () => {
    for (const sockets of [[], [{ port: 3000, loopback: true }], [{ port: 8080, loopback: false }], undefined]) {
      const { message } = explainNotListening({ ...app, sockets });
      expect(message.includes("A port in the app's settings goes before")).toBe(message.includes("svc.yaml"));
    }
  });

  test("is told in lines that fit a terminal of 80 columns below the step", () => {
    for (const loopback of [true, false]) {
      const lines = hintWhileSilent({ ...app, sockets: [{ port: 65_535, loopback }] });
      expect(lines.join(" ")).toContain("`port: 65535`");
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(72);
    }
  });
});
