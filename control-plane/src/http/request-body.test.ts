import { expect, test } from "vitest";
import { DRAINED_BYTES_MAX, readRequestBody } from "./request-body.ts";

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

const valueOf = async (...args: Parameters<typeof request>) => (await readRequestBody(request(...args))).value();

test("a body is complained about when it is looked at, not before", async () => {
  const body = await readRequestBody(request("{"));
  expect(() => body.value()).toThrow(/not JSON/);
});

test("no body means the same as an empty object, and null does not", async () => {
  const [none, empty, nothing] = await Promise.all(["", "{}", "null"].map((text) => readRequestBody(request(text))));
  expect(none!.hash).toEqual(empty!.hash);
  expect(nothing!.hash).not.toEqual(empty!.hash);
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

test("broken UTF-8, deep nesting and __proto__ are refused", async () => {
  await expect(valueOf(new Uint8Array([0x22, 0xff, 0x22]))).rejects.toThrow(/UTF-8/);
  await expect(valueOf("[".repeat(200_000) + "]".repeat(200_000))).rejects.toThrow(/deep/);
  await expect(valueOf('{"a": {"__pr\\u006fto__": 1}}')).rejects.toThrow(/__proto__/);
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
