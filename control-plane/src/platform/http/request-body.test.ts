import { afterEach, expect, test, vi } from "vitest";
import { BODY_BYTES_MAX, BODY_VALUES_MAX, DRAINED_BYTES_MAX, readRequestBody } from "./request-body.ts";

function request(
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  type = "application/json",
): Request {
  return new Request("http://a.test/", {
    method: "POST",
    body,
    headers: { "Content-Type": type },
    duplex: "half",
  } as RequestInit);
}

afterEach(() => vi.restoreAllMocks());

const valueOf = async (...args: Parameters<typeof request>) => (await readRequestBody(request(...args))).value();

test("a body is complained about when it is looked at, not before", async () => {
  const body = await readRequestBody(request("{"));
  expect(() => body.value()).toThrow(/not JSON/);
});

test("a body that breaks off is the client's fault", async () => {
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.error(new Error("aborted"));
    },
  });
  await expect(readRequestBody(request(body))).rejects.toMatchObject({ code: "invalid_request" });
});

test("no body means the same as an empty object, and null does not", async () => {
  const [none, empty, nothing] = await Promise.all(["", "{}", "null"].map((text) => readRequestBody(request(text))));
  expect(none!.hash()).toEqual(empty!.hash());
  expect(nothing!.hash()).not.toEqual(empty!.hash());
});

test.each(["application/json", "Application/JSON; charset=utf-8", "application/problem+json"])(
  "%s is JSON",
  async (type) => {
    expect(await valueOf('{"a": 1}', type)).toEqual({ a: 1 });
  },
);

test.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "multipart/form-data"])(
  "%s is not",
  async (type) => {
    await expect(valueOf("{}", type)).rejects.toMatchObject({ code: "unsupported_media_type" });
    // Nothing was sent, so nothing was declared.
    expect(await valueOf("", type)).toBeUndefined();
  },
);

test("__proto__ may name a variable", async () => {
  const { env } = (await valueOf('{"env": {"__proto__": "1"}}')) as { env: object };
  expect(Object.entries(env)).toEqual([["__proto__", "1"]]);
});

test("broken UTF-8, deep nesting and __proto__ are refused", async () => {
  await expect(valueOf(new Uint8Array([0x22, 0xff, 0x22]))).rejects.toThrow(/UTF-8/);
  await expect(valueOf("[".repeat(200_000) + "]".repeat(200_000))).rejects.toThrow(/deep/);
  await expect(valueOf('{"a": {"__pr\\u006fto__": 1}}')).rejects.toThrow(/__proto__/);
  await expect(valueOf('{"a": {"env": {"__proto__": "1"}}}')).rejects.toThrow(/__proto__/);
  await expect(valueOf('{"env": {"A": {"__proto__": "1"}}}')).rejects.toThrow(/__proto__/);
});

const filled = (start: string, unit: string, end: string) =>
  start + unit.repeat(Math.floor((BODY_BYTES_MAX - start.length - end.length) / unit.length)) + end;

test.each([
  ["empty arrays", filled('{"a":[', "[],", "1]}"), /too many values: 10000/],
  ["numbers", filled("[", "1,", "1]"), /too many values: 10000/],
  ["properties", filled("{", '"a":1,', '"a":1}'), /too many values: 10000/],
  ["arrays in arrays", filled('{"a":', "[", ""), /nested too deeply: 32/],
])("a body full of %s is refused without being parsed", async (_, text, sentence) => {
  const parse = vi.spyOn(JSON, "parse");
  await expect(valueOf(text)).rejects.toMatchObject({
    code: "invalid_request",
    message: expect.stringMatching(sentence),
  });
  expect(parse).not.toHaveBeenCalled();
});

test("a body may hold as many values as are allowed, and one long string", async () => {
  const many = Array.from({ length: BODY_VALUES_MAX - 1 }, (_, n) => n);
  expect(await valueOf(JSON.stringify(many))).toHaveLength(many.length);
  await expect(valueOf(JSON.stringify([...many, 0]))).rejects.toThrow(/too many values/);
  expect(await valueOf(filled('{"a":"', "[],", '"}'))).toHaveProperty("a");
});

test("the form that bodies are compared in is made only for who compares", async () => {
  const stringify = vi.spyOn(JSON, "stringify");
  const body = await readRequestBody(request('{"b": 1, "a": 2}'));
  expect(body.value()).toEqual({ a: 2, b: 1 });
  expect(stringify).not.toHaveBeenCalled();
  body.hash();
  expect(stringify).toHaveBeenCalled();
});

test("a stream that is too large is heard out to a bound, and no further", async () => {
  let sent = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 65_536;
      controller.enqueue(new Uint8Array(65_536));
    },
  });
  await expect(valueOf(endless)).rejects.toMatchObject({ code: "payload_too_large" });
  expect(sent).toBeLessThan(DRAINED_BYTES_MAX + 10 * 65_536);
});
