import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TOOLS } from "../../table.ts";
import { hideValues } from "../hide-values.ts";
import { INTENTS } from "./intents.ts";
import { complete, understand, type Surroundings } from "./understand.ts";

const tools = new Set(TOOLS.map(({ name }) => name));
const around: Surroundings = { app: "shop", apps: ["shop", "api"], tools };

/** The calls that a sentence means, each as its tool with what it is called with. */
function callsOf(sentence: string, { app = "shop", ...rest }: Partial<Surroundings> = {}): unknown {
  const understood = understand(hideValues(sentence, 1).text, { ...around, app, ...rest });
  return understood.kind === "calls" ? understood.calls.map(({ tool, input }) => [tool, input]) : understood.kind;
}

describe("a sentence", () => {
  it.each([
    ["deploy shop from main", ["deploy", { app: "shop", ref: "main" }]],
    ["Please deploy api!", ["deploy", { app: "api" }]],
    ["redeploy", ["deploy", { app: "shop" }]],
    ["deploy it again", ["deploy", { app: "shop" }]],
    ["ship the branch feature/x of api", ["deploy", { app: "api", ref: "feature/x" }]],
    ["deploy api from the tag v1.2", ["deploy", { app: "api", ref: "v1.2" }]],
    ["why did the last deploy fail?", ["explain_failure", { app: "shop" }]],
    ["Why did api fail", ["explain_failure", { app: "api" }]],
    ["why did the last deploy of api fail?", ["explain_failure", { app: "api" }]],
    ["why did v3 fail?", ["explain_failure", { app: "shop", release: "v3" }]],
    ["why did v3 of api fail?", ["explain_failure", { app: "api", release: "v3" }]],
    ["why did the deploy 2026.11-rc1 go wrong?", ["explain_failure", { app: "shop", release: "2026.11-rc1" }]],
    ["why has the release hotfix failed", ["explain_failure", { app: "shop", release: "hotfix" }]],
    ["what went wrong with api?", ["explain_failure", { app: "api" }]],
    ["why?", ["explain_failure", { app: "shop" }]],
    ["what is broken?", ["list_apps", { broken: true }]],
    ["What's down?", ["list_apps", { broken: true }]],
    ["which apps are unhealthy?", ["list_apps", { broken: true }]],
    ["is anything broken?", ["list_apps", { broken: true }]],
    ["what runs?", ["list_apps", {}]],
    ["show me all my apps", ["list_apps", {}]],
    ["status", ["read_app", { app: "shop" }]],
    ["is api up?", ["read_app", { app: "api" }]],
    ["how is api doing?", ["read_app", { app: "api" }]],
    ["logs", ["read_logs", { app: "shop" }]],
    ["show me the last logs of api", ["read_logs", { app: "api" }]],
    ["logs of api with level:error", ["read_logs", { app: "api", query: "level:error" }]],
    ["logs timeout", ["read_logs", { app: "shop", query: "timeout" }]],
    ["roll shop back", ["roll_back", { app: "shop" }]],
    ["rollback api to v3", ["roll_back", { app: "api", release: "v3" }]],
    ["roll it back to the previous release", ["roll_back", { app: "shop" }]],
    ["undo the last deploy of api", ["roll_back", { app: "api" }]],
    ["domains", ["list_domains", { app: "shop" }]],
    ["add the domain Shop.example.com to api", ["add_domain", { app: "api", domain: "shop.example.com" }]],
    ["stop api", ["act_on_app", { app: "api", action: "stop" }]],
    ["restart the app", ["act_on_app", { app: "shop", action: "restart" }]],
    ["start", ["act_on_app", { app: "shop", action: "start" }]],
    ["delete variable LOG_LEVEL of api", ["delete_variable", { app: "api", variable: "LOG_LEVEL" }]],
    ["variables of api", ["list_variables", { app: "api" }]],
    ["who did what?", ["read_activity", {}]],
  ])("%s", (sentence, call) => {
    expect(callsOf(sentence)).toEqual([call]);
  });

  it.each([
    "set LOG_LEVEL=debug on api and redeploy",
    "set LOG_LEVEL to debug on api, then deploy it",
    "change LOG_LEVEL on api to debug and deploy",
    "on api set LOG_LEVEL='debug' redeploy",
  ])("%s: sets the variable, then deploys", (sentence) => {
    expect(callsOf(sentence)).toEqual([
      ["set_variables", { app: "api", variables: { LOG_LEVEL: "«value 1»" } }],
      ["deploy", { app: "api" }],
    ]);
  });

  it.each([
    "why is api unhealthy?",
    "why did api crash?",
    "Why does api keep crashing",
    "why is the app api crashing?",
  ])("%s: reads the app's health, and the end of its log", (sentence) => {
    expect(callsOf(sentence)).toEqual([
      ["read_app", { app: "api" }],
      ["read_logs", { app: "api", lines: 20 }],
    ]);
  });

  it("asks why the page's app is unhealthy, where none is named", () => {
    expect(callsOf("why is it unhealthy?")).toMatchObject([
      ["read_app", { app: "shop" }],
      ["read_logs", {}],
    ]);
  });

  it("sets several variables at once", () => {
    expect(callsOf('set A=1, B="two words" and C=3 of api')).toEqual([
      ["set_variables", { app: "api", variables: { A: "«value 1»", B: "«value 2»", C: "«value 3»" } }],
    ]);
  });

  it("is about the page's app, else about the only one, else the person is asked", () => {
    const apps = ["shop", "api"];
    expect(understand("stop", { tools, apps, app: "api" })).toMatchObject({ says: "stop api" });
    expect(understand("stop", { tools, apps: ["one"] })).toMatchObject({ says: "stop one" });
    expect(understand("stop", { tools, apps })).toEqual({
      kind: "words",
      words: "Which app do you mean? Yours are shop, api.",
    });
    expect(understand("stop web", { tools, apps })).toEqual({
      kind: "words",
      words: "There is no app named web. Yours are shop, api.",
    });
    expect(understand("stop web", { tools, apps: ["one"] })).toMatchObject({
      words: "There is no app named web. Yours is one.",
    });
  });

  it("asks why an app failed, and not a release, where an app has that name or the name is no release's of ours", () => {
    const here = { ...around, apps: ["shop", "api2"] };
    expect(understand("why did api2 fail?", here)).toMatchObject({ says: "why the last deploy of api2 failed" });
    expect(understand("why did web fail?", here)).toEqual({
      kind: "words",
      words: "There is no app named web. Yours are shop, api2.",
    });
    expect(understand("why is web2 down?", here)).toMatchObject({ kind: "words" });
  });

  it("is about the deploy of the page, where that is what is looked at", () => {
    expect(callsOf("why?", { deploy: "0198c0de-7a11-7000-8000-000000000001" })).toEqual([
      ["read_deploy", { deploy: "0198c0de-7a11-7000-8000-000000000001" }],
    ]);
  });

  it.each(["make me a sandwich", "delete shop", "deploy shop and delete api", "drop everything", "x".repeat(4_000)])(
    "%s: is not understood, and what can be written is said",
    (sentence) => {
      expect(understand(sentence, around)).toMatchObject({
        kind: "nothing",
        words: expect.stringContaining("- deploy shop\n"),
      });
    },
  );

  it("that the person's role does not allow is told as that", () => {
    expect(understand("deploy shop", { ...around, tools: new Set(["list_apps"]) })).toMatchObject({
      kind: "words",
      words: expect.stringContaining("Understood: deploy shop. Your role"),
    });
  });
});

describe("whatever is written", () => {
  const pieces =
    "deploy set why roll back to logs of shop api A=1 and redeploy ? «value 1» delete variable FOO the from main ' \" \n \u0000 \ud800 🙂";
  const words = fc.constantFrom(...pieces.split(" "), "", "-".repeat(300));

  it("is answered, and calls have inputs that their tools take", () => {
    const texts = fc.oneof(
      fc.array(words, { maxLength: 12 }).map((parts) => parts.join(" ")),
      fc.string({ unit: "binary", maxLength: 200 }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const understood = understand(hideValues(text, 1).text, around);
        for (const { tool, input } of understood.kind === "calls" ? understood.calls : []) {
          const { input: schema } = TOOLS.find(({ name }) => name === tool)!;
          expect(schema.safeParse(input)).toMatchObject({ success: true });
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("is answered within a second, however it repeats itself", () => {
    for (const part of [
      "set A=1 and ",
      "logs of shop for ",
      "why did the last deploy ",
      "a ",
      "deploy from at ",
      "A=«",
    ]) {
      const text = part.repeat(4_000 / part.length);
      const begun = performance.now();
      understand(hideValues(text, 1).text, around);
      understand(text.slice(0, 1_000), around);
      expect([part, performance.now() - begun < 1_000]).toEqual([part, true]);
    }
  });

  it("is completed by sentences that are understood as what they were made of", () => {
    const names = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}[a-z0-9]$/);
    fc.assert(
      fc.property(fc.uniqueArray(names, { minLength: 1, maxLength: 4 }), fc.nat(30), (apps, length) => {
        const here = { apps, app: apps[0], tools };
        for (const begun of ["", "set LOG_LEVEL=debug on".slice(0, length), "ro".slice(0, length), "WHY"]) {
          const completions = complete(begun, here);
          expect(completions.length).toBeLessThanOrEqual(8);
          for (const sentence of completions) {
            expect(sentence.toLowerCase().startsWith(begun.toLowerCase())).toBe(true);
            if (sentence === "help") continue;
            expect([sentence, understand(hideValues(sentence, 1).text, here).kind]).toEqual([sentence, "calls"]);
          }
        }
      }),
    );
  });
});

it("each intent's examples are understood as that intent", () => {
  for (const intent of INTENTS) {
    for (const sentence of intent.examples("shop")) {
      const meant = intent.calls("shop", {}).map(({ tool }) => tool);
      const understood = understand(sentence, around);
      const called = understood.kind === "calls" ? understood.calls.map(({ tool }) => tool) : [];
      expect([sentence, called.slice(0, meant.length)]).toEqual([sentence, meant]);
    }
  }
});

it("a completion is only of what the person may do", () => {
  expect(complete("", { ...around, tools: new Set(["list_apps", "read_app"]) })).toEqual([
    "what is broken?",
    "what runs?",
    "status of shop",
    "status of api",
    "help",
  ]);
});
