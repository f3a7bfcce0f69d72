import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dockerfileApp } from "../support/platform/apps.ts";
import { startVictim, type Victim } from "../support/platform/victim.ts";
import { promise } from "../support/promises/promise.ts";

let victim: Victim;

beforeAll(async () => {
  victim = await startVictim({ agent: { SVC_BUILD_MEMORY: "256m" } });
});
afterAll(() => victim?.setup.stop());

const expectCleanFailure: Victim["expectCleanFailure"] = (...args) => victim.expectCleanFailure(...args);

describe("the build", () => {
  it("fails", async () => {
    const answer = await victim.deployOf(dockerfileApp(["RUN echo compiling && echo 'no such header' >&2 && exit 3"]));
    await expectCleanFailure(answer, "clone_build", /exit.*3|3.*exit/i);
    expect(answer.steps[1]!.output).toContain("no such header");
  });

  it("fails in a command: the step's output ends with what the build said", async () => {
    promise("deploys", "the output of a build that failed ends with what the build said");
    const answer = await victim.deployOf(dockerfileApp(["RUN echo so far; echo the reason; exit 3"]));
    await expectCleanFailure(answer, "clone_build", /exit code 3[^]*the reason/);
    const { output = "" } = answer.steps.find((step) => step.step_name === "clone_build")!;
    expect(output.slice(-1000)).toMatch(/so far\n[^]*the reason\n/);
  });

  it("names an image that is not there", async () => {
    const answer = await victim.deployOf({ Dockerfile: "FROM no-such-image-anywhere:1\n" });
    await expectCleanFailure(answer, "clone_build", /no-such-image-anywhere/);
  });

  it("eats memory", async () => {
    const hog = "const all = []; for (;;) all.push(Buffer.alloc(8 << 20, 1))";
    const answer = await victim.deployOf(dockerfileApp([`RUN node -e "${hog}"`]));
    await expectCleanFailure(answer, "clone_build", /memory/i);
  });

  it("forks without end: the host lives, and the build ends within its limits", async () => {
    const bomb =
      "const {spawn} = require('child_process'); const more = () => { spawn(process.execPath, [__filename]).on('error', () => process.exit(9)); }; setInterval(more, 1)";
    const answer = await victim.deployOf({
      ...dockerfileApp(["COPY bomb.js /bomb.js", "RUN node /bomb.js"]),
      "bomb.js": bomb,
    });
    expect(answer.deploy.status).toBe("failed");
    await expectCleanFailure(answer, "clone_build", /memory|process|exit|fork/i);
  });
});
