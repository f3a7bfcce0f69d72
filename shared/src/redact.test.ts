import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { REDACTED, Redactor } from "./redact.ts";

const redact = (text: string, ...secrets: string[]): string => new Redactor(secrets).text(text);

describe("redaction", () => {
  it("replaces every occurrence of a secret", () => {
    expect(redact("pw=hunter22 again hunter22", "hunter22")).toBe(`pw=${REDACTED} again ${REDACTED}`);
  });

  it("replaces the longest first, so that no rest of a longer secret stays", () => {
    expect(redact("token abcd-efgh", "abcd", "abcd-efgh")).toBe(`token ${REDACTED}`);
  });

  it("hides overlapping secrets together", () => {
    expect(redact("xabcdefx", "abcd", "cdef")).toBe(`x${REDACTED}x`);
  });

  it("replaces values under four characters only as whole words", () => {
    expect(redact("a1 1 b=1; 11", "1")).toBe(`a1 ${REDACTED} b=${REDACTED}; 11`);
  });

  it("finds a secret URL-encoded, JSON-escaped and in base64", () => {
    const secret = 'p@ss "word"/\n+é';
    const forms = [encodeURIComponent(secret), JSON.stringify(secret), Buffer.from(secret).toString("base64")];
    const text = redact(forms.join(" | "), secret);
    expect(text).not.toContain("word");
    expect(text.match(/\[REDACTED\]/g)?.length).toBe(3);
  });

  it("replaces a value of several lines line by line", () => {
    expect(redact("-> MIIEowIBAAKCAQ", "-----BEGIN KEY-----\nMIIEowIBAAKCAQ\n-----END KEY-----")).toBe(
      `-> ${REDACTED}`,
    );
  });

  it("replaces any key of the platform", () => {
    expect(redact(`Bearer svc_${"aB3_-".repeat(9)} end`)).toBe(`Bearer ${REDACTED} end`);
    expect(redact(`Bearer%20svc_${"a".repeat(43)}`)).toBe(`Bearer%20${REDACTED}`);
    expect(redact("svc_short stays")).toBe("svc_short stays");
  });

  it("leaves no secret in any text around it", () => {
    const secret = fc.string({ minLength: 4, maxLength: 40, unit: "grapheme" }).filter((s) => s.trim() !== "");
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 5 }),
        fc.array(fc.string(), { maxLength: 6 }),
        (secrets, rest) => {
          const text = rest.flatMap((piece, i) => [piece, secrets[i % secrets.length]!]).join("");
          const left = redact(text, ...secrets).replaceAll(REDACTED, "\u0000");
          for (const one of secrets) expect(left.includes(one)).toBe(false);
        },
      ),
    );
  });

  it("gives the same for a line in pieces, wherever it is cut", () => {
    const secret = fc.stringMatching(/^[a-z]{4,12}$/);
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(60), { maxLength: 12 }),
        (secrets, cuts) => {
          const text = secrets.map((one, i) => `${"-".repeat(i * 90)} ${one} ${one}${one}`).join("");
          const redactor = new Redactor(secrets);
          const line = redactor.startLine();
          let rest = text;
          let out = "";
          for (const cut of cuts) {
            out += line.push(rest.slice(0, cut));
            rest = rest.slice(cut);
          }
          out += line.push(rest) + line.end();
          for (const one of secrets) expect(out.replaceAll(REDACTED, "\u0000").includes(one)).toBe(false);
        },
      ),
    );
  });

  it("never cuts a character in two, however long a line is", () => {
    const line = new Redactor(["secret"]).startLine();
    const text = "█😀".repeat(5000);
    for (let at = 0; at < text.length; at += 777)
      expect(line.push(text.slice(at, at + 777).toWellFormed()).isWellFormed()).toBe(true);
    expect(line.end().isWellFormed()).toBe(true);
  });

  it("finds thousands of lines of secrets in no more work per line than a few", () => {
    const secrets = Array.from({ length: 64 }, (_, i) =>
      Array.from({ length: 1600 }, (__, j) => `${i}-${j}`).join("\n"),
    );
    const redactor = new Redactor(secrets);
    expect(redactor.text("token 63-1599 and more")).toBe(`token ${REDACTED} and more`);
  });
});
