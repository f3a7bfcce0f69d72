import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { replyOf, type Caller } from "../../support/api/http.ts";
import { startTalk, talkOf } from "../../support/assistant/talk.ts";
import { lastOf, startModelDouble, type ModelDouble } from "../../support/doubles/model-double.ts";
import { startControlPlanes, type ControlPlanes } from "../../support/platform/control-planes.ts";
import { eventually } from "../../support/tools/eventually.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-chat-"));
let model: ModelDouble;
let planes: ControlPlanes;

beforeAll(async () => {
  model = await startModelDouble();
  const keyFile = join(directory, "key");
  writeFileSync(keyFile, `${model.key}\n`);
  planes = await startControlPlanes(2, {
    SVC_LLM_URL: model.url,
    SVC_LLM_MODEL: "small-1",
    SVC_LLM_KEY_FILE: keyFile,
  });
});
afterAll(async () => {
  await planes?.stop();
  await model?.close();
  rmSync(directory, { recursive: true, force: true });
});

/** The person with this key, at one of the processes. */
function at(process: number, key: string): Pick<Caller, "call"> {
  return {
    call: async (method, path, body) =>
      replyOf(
        await fetch(planes.baseUrls[process]! + path, {
          method,
          headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      ),
  };
}

test("a conversation goes on at another process, also when the one before was killed in the middle of an answer", async () => {
  const { key } = await planes.addKey();
  const [here, there] = [at(0, key), at(1, key)];
  await here.call("POST", "/api/apps", { name: "shop", repo_url: "https://github.com/you/shop" });
  const talk = await startTalk(here);
  model.script = (request) =>
    lastOf(request).role === "user"
      ? {
          say: "As you wish.",
          calls: [{ name: "set_variables", arguments: { app: "shop", variables: { A: "«value 1»" } } }],
        }
      : { say: "It is set." };
  const [card] = (await talk.say("let A=b72 be in shop")).cards;
  const done = await talkOf(there, talk.id).decide(card!, "do");
  expect([done.cards[0]?.state, done.text]).toEqual(["done", "It is set."]);
  expect((await here.call("GET", "/api/apps/shop/env")).json).toMatchObject({ env: { A: "b72" } });

  model.script = () => ({ say: "It is", hangs: "after" });
  const cut = talk.say("what is it?").catch(() => "cut off");
  await eventually(
    async () => JSON.stringify(await talkOf(there, talk.id).messages()),
    (messages) => messages.includes("what is it?") && model.requests.length === 3,
    { what: "the model is asked" },
  );
  process.kill(planes.pids()[0]!, "SIGKILL");
  expect(await cut).toBe("cut off");
  expect((await talkOf(there, talk.id).say("again")).error).toBe("turn_in_progress");
  const last = async () => (await talkOf(there, talk.id).messages()).at(-1)!;
  expect(await last()).toMatchObject({ being_written: true });
  const broken = await eventually(last, (message) => message.being_written !== true, {
    what: "the answer of the killed process is over",
    deadlineMs: 20_000,
  });
  expect(broken.parts.at(-1)).toMatchObject({ type: "problem", code: "interrupted" });
  model.script = () => ({ say: "Again." });
  expect((await talkOf(there, talk.id).say("again")).text).toBe("Again.");
  expect(model.bodies.join("")).not.toContain("b72");
});
