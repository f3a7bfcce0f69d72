import fc from "fast-check";
import { expect, test } from "vitest";
import { checkEnvCount, checkEnvVar } from "./env-var.ts";

test("any text without NUL of up to 8,192 bytes is a value", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 500 }), (value) => {
      fc.pre(!value.includes("\0"));
      checkEnvVar("KEY", value);
    }),
  );
  checkEnvVar("_a1", "é".repeat(4096));
  expect(() => checkEnvVar("KEY", "é".repeat(4096) + "a")).toThrow(/KEY has 8193 bytes/);
});

test("no refusal tells the value", () => {
  for (const value of ["secret\0", "secret\ud800", "secret".repeat(2_000)]) {
    expect(() => checkEnvVar("KEY", value)).toThrow(/^(?!.*secret).*KEY/);
  }
});

test("keys are names of variables, and the platform's own are refused by their own code", () => {
  for (const key of ["", "1A", "A-B", "A B", "A=B", "Ä", "A\n", "A".repeat(256)]) {
    expect(() => checkEnvVar(key, "")).toThrow(expect.objectContaining({ code: "env_limit" }));
  }
  for (const key of ["PORT", "SVC_", "SVC_APP"]) {
    expect(() => checkEnvVar(key, "")).toThrow(expect.objectContaining({ code: "reserved_env_key" }));
  }
  for (const key of ["port", "DATABASE_URL", "svc_x", "PORTS"]) checkEnvVar(key, "");
});

test("an app has 64 variables at most", () => {
  const keys = Array.from({ length: 65 }, (_, i) => `K${i}`);
  checkEnvCount(new Set(keys.slice(1)), keys);
  expect(() => checkEnvCount(new Set(keys), keys)).toThrow(/65 variables, with K64/);
});
