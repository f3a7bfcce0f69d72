import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deliveryOutcome, deployNotice, parseWebhookUrl, webhookBody, WEBHOOK_URL_LENGTH_MAX } from "./webhook.ts";

describe("a webhook's URL", () => {
  it.each(["https://hooks.example.com", "HTTPS://hooks.example.com:8443/a?b=c#d", "https://[2606:4700::1111]/x"])(
    "may be %s",
    (url) => expect(parseWebhookUrl(url).protocol).toBe("https:"),
  );

  it.each([
    ["", /https/],
    ["hooks.example.com", /https/],
    ["http://hooks.example.com", /https/],
    ["https:hooks.example.com", /https/],
    ["https://", /host/],
    ["https:///hooks.example.com", /host/],
    ["https:///user:secret@hooks.example.com", /host/],
    ["https://hooks.example.com:0/", /port/],
    ["https://user:secret@hooks.example.com", /credentials/],
    ["https://@hooks.example.com", /credentials/],
    ["ftp://user:secret@hooks.example.com", /https/],
    ["https://hooks.example.com\\@evil.example", /backslash/],
    ["https://hooks.exam\nple.com", /control/],
    [" https://hooks.example.com", /space/],
    [`https://hooks.example.com/${"x".repeat(WEBHOOK_URL_LENGTH_MAX)}`, /2048/],
  ])("%j is refused, and its credentials are not repeated", (url, reason) => {
    const refusal = (): unknown => parseWebhookUrl(url);
    expect(refusal).toThrow(expect.objectContaining({ code: "invalid_webhook_url" }));
    expect(refusal).toThrow(reason);
    expect(refusal).not.toThrow(/secret/);
  });

  it("never holds credentials, whatever is given", () => {
    fc.assert(
      fc.property(fc.string(), fc.webUrl({ validSchemes: ["https"] }), (userInfo, url) => {
        const given = url.replace("https://", `https://${userInfo}@`);
        let parsed: URL;
        try {
          parsed = parseWebhookUrl(given);
        } catch {
          return;
        }
        expect([parsed.username, parsed.password]).toEqual(["", ""]);
        expect(given).not.toMatch(/^https:\/\/[^/?#]*@/);
      }),
    );
  });
});

describe("what receivers are told", () => {
  it("is a deploy's end in the words of the specification", () => {
    expect(deployNotice("deploy", "success")).toEqual({ event: "deploy.succeeded", status: "succeeded" });
    expect(deployNotice("deploy", "failed")).toEqual({ event: "deploy.failed", status: "failed" });
    expect(deployNotice("deploy", "canceled")).toEqual({ event: "deploy.failed", status: "canceled" });
  });

  it("is a rollback only once it has switched", () => {
    expect(deployNotice("rollback", "success")).toEqual({ event: "deploy.rolled_back", status: "rolled_back" });
    expect(deployNotice("rollback", "failed")).toBeUndefined();
    expect(deployNotice("rollback", "canceled")).toBeUndefined();
  });

  it("has exactly the fields of the specification, in its order", () => {
    const body = webhookBody({
      event: "deploy.succeeded",
      status: "succeeded",
      app: "shop",
      deployId: "d1",
      url: "https://shop.apps.test",
      at: new Date(0),
    });
    expect(body.toString()).toBe(
      '{"event":"deploy.succeeded","app":"shop","deploy_id":"d1","status":"succeeded",' +
        '"url":"https://shop.apps.test","timestamp":"1970-01-01T00:00:00.000Z"}',
    );
  });
});

it.each([
  [200, 1, "delivered"],
  [299, 2, "delivered"],
  [302, 1, "retry"],
  [302, 2, "failed"],
  [400, 1, "failed"],
  [410, 1, "failed"],
  [500, 1, "retry"],
  [500, 2, "failed"],
  [undefined, 1, "retry"],
  [undefined, 2, "failed"],
] as const)("an answer of %s at attempt %i: %s", (status, attempt, outcome) => {
  expect(deliveryOutcome(status, attempt)).toBe(outcome);
});
