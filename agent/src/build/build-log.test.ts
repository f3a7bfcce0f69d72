import { create } from "@bufbuild/protobuf";
import { StatusResponseSchema, type StatusResponse } from "@svc/shared/gen/buildkit_status_pb.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BuildLog } from "./build-log.ts";

const at = (seconds: number) => ({ seconds: BigInt(seconds), nanos: 0 });

interface VertexInit {
  digest: string;
  name: string;
  started?: number;
  completed?: number;
  cached?: boolean;
  error?: string;
}

function status(vertexes: VertexInit[], logs: [vertex: string, text: string | Buffer][] = []): StatusResponse {
  return create(StatusResponseSchema, {
    vertexes: vertexes.map(({ started, completed, ...rest }) => ({
      ...rest,
      ...(started === undefined ? {} : { started: at(started) }),
      ...(completed === undefined ? {} : { completed: at(completed) }),
    })),
    logs: logs.map(([vertex, text]) => ({ vertex, stream: 1n, msg: Buffer.from(text) })),
  });
}

function read(...statuses: StatusResponse[]): { lines: string[]; log: BuildLog } {
  const lines: string[] = [];
  const log = new BuildLog((line) => lines.push(line));
  for (const one of statuses) log.add(one);
  return { lines, log };
}

const RUN = { digest: "a", name: "[2/2] RUN x" };

describe("the build's output", () => {
  it("has a header, whole lines and an end per step", () => {
    const { lines, log } = read(
      status([{ ...RUN, started: 1 }], [["a", "one\ntw"]]),
      status([], [["a", "o\r\n\u001b[31mred\u001b[0m\nrest"]]),
      status([{ ...RUN, started: 1, completed: 3 }]),
    );
    expect(lines).toEqual(["#1 [2/2] RUN x", "#1 one", "#1 two", "#1 red", "#1 rest", "#1 DONE 2.0 s"]);
    expect(log.summary()).toBe("0 of 1 steps from the cache");
  });

  it("tells steps that run at once apart, and cached ones", () => {
    const { lines } = read(
      status([
        { ...RUN, started: 1 },
        { digest: "b", name: "COPY", started: 1, completed: 1, cached: true },
      ]),
      status([], [["a", "x\n"]]),
    );
    expect(lines).toEqual(["#1 [2/2] RUN x", "#2 COPY", "#2 CACHED", "#1 x"]);
  });

  it("says nothing of the engine's own preparations", () => {
    const name = "[internal] load build definition";
    expect(read(status([{ digest: "a", name, started: 1, completed: 2 }])).lines).toEqual([]);
  });

  it("ends a step once, however often it is reported", () => {
    const done = status([{ ...RUN, started: 1, completed: 2 }]);
    expect(read(done, done).lines).toHaveLength(2);
  });

  it("names the step that failed, not those that were canceled for it", () => {
    const { lines, log } = read(
      status(
        [
          { ...RUN, started: 1 },
          { digest: "b", name: "other", started: 1 },
        ],
        [["a", "why\n"]],
      ),
      status([{ digest: "b", name: "other", started: 1, completed: 2, error: "context canceled" }]),
      status([{ ...RUN, started: 1, completed: 2, error: "exit code: 1" }]),
    );
    expect(log.failedStep()).toMatchObject({ name: RUN.name, lastLines: ["why"] });
    expect(lines.slice(-2)).toEqual(["#2 CANCELED", "#1 FAILED"]);
  });

  it.each([
    ["Looking in links: /usr/local/share/wheels", true],
    ["Looking in indexes: https://pypi.example.com/simple", false],
  ])("knows of a step that says %j whether pip has an index, however much it says then", (first, isWithoutIndex) => {
    const output = [first, ...Array.from({ length: 20 }, (_, i) => `Processing package-${i}`)];
    const { log } = read(
      status([{ ...RUN, started: 1 }], [["a", `${output.join("\n")}\n`]]),
      status([{ ...RUN, started: 1, completed: 2, error: "exit code: 1" }]),
    );
    expect(log.failedStep()).toMatchObject({ isWithoutIndex });
  });

  it.each([
    ["npm 10", ["Options:", "[--no-audit] [-w|--workspace <name>]", "", "aliases: ic", ""]],
    ["npm 11", ["Options:", "[--omit <dev>]", "", "  --omit", "    Dependency types to omit.", "", "alias: ic", ""]],
  ])("keeps why %s failed, and not how it is used", (_, usage) => {
    const why = ["code EUSAGE", "Missing: is-number@7.0.0 from lock file"];
    const end = ['Run "npm help ci" for more info', "A complete log of this run can be found in: /root/a.log"];
    const said = [...why, "", "Clean install a project", "", "Usage:", "npm ci", "", ...usage, ...end];
    const output = ["before", ...said.map((line) => `npm error ${line}`.trimEnd()), "after"];
    const { lines, log } = read(
      status([{ ...RUN, started: 1 }], [["a", `${output.join("\n")}\n`]]),
      status([{ ...RUN, started: 1, completed: 2, error: "exit code: 1" }]),
    );
    const kept = ["before", ...why.map((line) => `npm error ${line}`), "after"];
    expect(log.failedStep()).toMatchObject({ name: RUN.name, lastLines: kept });
    expect(lines).toContain("#1 npm error Usage:");
  });

  it("is the same however its bytes are cut", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "é", "😀", "\n", "\r\n", " ", "b") });
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (output, sizes) => {
        const bytes = Buffer.from(`${output}\n`);
        const pieces: [string, Buffer][] = [];
        for (let start = 0, index = 0; start < bytes.length; index += 1) {
          const size = sizes[index % sizes.length]!;
          pieces.push(["a", bytes.subarray(start, start + size)]);
          start += size;
        }
        const end = status([{ ...RUN, started: 1, completed: 1 }]);
        const whole = read(status([{ ...RUN, started: 1 }], [["a", bytes]]), end).lines;
        expect(read(status([{ ...RUN, started: 1 }]), ...pieces.map((one) => status([], [one])), end).lines).toEqual(
          whole,
        );
      }),
    );
  });

  it("keeps a line without an end from growing", () => {
    const { lines } = read(
      status(
        [{ ...RUN, started: 1 }],
        [
          ["a", "x".repeat(20_000)],
          ["a", "y".repeat(20_000)],
        ],
      ),
    );
    expect(lines).toHaveLength(3);
  });
});
