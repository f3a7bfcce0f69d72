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

  it("finds a secret percent-encoded in lower case, and in hexadecimal of either case", () => {
    const secret = "p/é wörd+1";
    const hex = Buffer.from(secret).toString("hex");
    const text = redact([encodeURIComponent(secret).toLowerCase(), hex, hex.toUpperCase()].join(" "), secret);
    expect(text).toBe([REDACTED, REDACTED, REDACTED].join(" "));
  });

  it.each([
    ["json.dumps", String.raw`p\u00e9 w/\"o'r\\d\n`],
    ["json_encode", String.raw`p\u00e9 w\/\"o'r\\d\n`],
    ["a literal in single quotes", String.raw`pé w/"o\'r\\d\n`],
    ["a template literal", String.raw`pé w/"o'r\\d\n`],
    ["a form", "p%C3%A9+w%2F%22o%27r%5Cd%0A"],
    ["a form made by hand", "p%C3%A9+w%2F%22o'r%5Cd%0A"],
    ["a word of a shell", String.raw`pé w/"o'\''r\d`],
    ["what is left without blanks around it", String.raw`pé w/"o'r\d`],
  ])("finds a secret as %s has it", (_what, printed) => {
    expect(redact(`> ${printed} <`, "pé w/\"o'r\\d\n")).toBe(`> ${REDACTED} <`);
  });

  it.each(["", "u", "me", "ada", "root"])(
    "leaves nothing of a password of user %j in the base64 of a Basic header",
    (user) => {
      for (const password of ["hunter2!", "four", "pass/word+", "é-ü-ß-?~"]) {
        for (const after of ["", "\n", "@host"]) {
          const header = Buffer.from(`${user}:${password}${after}`).toString("base64");
          const left = redact(`Basic ${header}`, password);
          expect(left).toContain(REDACTED);
          // Characters with bits of something else may stay.
          const [from, to] = [(user.length + 1) * 8, (user.length + 1 + Buffer.byteLength(password)) * 8];
          const ofPasswordAlone = Math.floor(to / 6) - Math.ceil(from / 6);
          const most = "Basic ".length + header.length - ofPasswordAlone;
          expect(left.replace(REDACTED, "").length).toBeLessThanOrEqual(most);
        }
      }
    },
  );

  it("replaces a value of several lines line by line", () => {
    expect(redact("-> MIIEowIBAAKCAQ", "-----BEGIN KEY-----\nMIIEowIBAAKCAQ\n-----END KEY-----")).toBe(
      `-> ${REDACTED}`,
    );
    expect(redact(String.raw`{"msg":"\"password\": 12"}`, '{\n"password": 12\n}')).toBe(`{"msg":"${REDACTED}"}`);
  });

  it("replaces each line of a key in PEM with its certificates", () => {
    const lines = Array.from({ length: 120 }, (_, i) => Buffer.alloc(48, `line ${i} of a key, `).toString("base64"));
    const pem = ["-----BEGIN PRIVATE KEY-----", ...lines, "and=the=last=one", "-----END PRIVATE KEY-----"];
    const redactor = new Redactor([pem.join("\r\n")]);
    for (const line of pem) expect(redactor.text(`> ${line}`)).toBe(`> ${REDACTED}`);
    const base64 = Buffer.from(lines[7]!).toString("base64").replace(/=+$/, "");
    for (const form of [base64, encodeURIComponent(`${lines[7]}`)]) expect(redactor.text(form)).toBe(REDACTED);
  });

  it("leaves lines of under four characters of a value of several lines, and replaces the whole", () => {
    const redactor = new Redactor(["true\nabc\n8\n{"]);
    expect(redactor.text("true, abc, 8 or {")).toBe(`${REDACTED}, abc, 8 or {`);
    expect(redactor.text("of true\nabc\n8\n{")).toBe(`of ${REDACTED}`);
  });

  it("replaces each of a value's many short lines", () => {
    const lines = Array.from({ length: 1_000 }, (_, i) => `KEY_${i}=value`);
    const redactor = new Redactor([lines.join("\n")]);
    for (const line of lines) expect(redactor.text(`> ${line}`)).toBe(`> ${REDACTED}`);
    expect(redactor.text(`"${lines.join(String.raw`\n`)}"`)).toBe(`"${REDACTED}"`);
  });

  it("replaces a long value in each of its forms as a whole, and what stands of it in part", () => {
    const value = 'é, a "word" & more\n'.repeat(500).slice(0, 8000);
    const forms = [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)];
    for (const form of [...forms, Buffer.from(value).toString("base64url")]) {
      expect(redact(`<${form}>`, value)).toBe(`<${REDACTED}>`);
      expect(redact(form.slice(0, 4000), value).length).toBeLessThan(REDACTED.length + 64);
    }
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

  it("leaves nothing of a long secret in any text around it", () => {
    const unit = fc.constantFrom("a", "b", "-", "é", "😀");
    const secret = fc.string({ minLength: 60, maxLength: 300, unit });
    fc.assert(
      fc.property(secret, fc.string({ unit }), fc.string({ unit }), (one, before, after) => {
        const text = `${before}|${one}|${after}`;
        expect(redact(text, `|${one}|`)).toBe(`${before}${REDACTED}${after}`);
      }),
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

  it("never cuts a character in two where a part of a long secret stands", () => {
    const faces = Array.from({ length: 300 }, (_, i) => String.fromCodePoint(0x1f300 + i));
    for (const before of ["", "a"]) {
      const left = redact(faces.slice(45, 145).join(""), before + faces.join(""));
      expect(left).toContain(REDACTED);
      expect(left.isWellFormed()).toBe(true);
    }
  });

  it("hides exactly what looking for each form of each secret at each place would hide", () => {
    const piece = fc.oneof(fc.string({ unit: fc.constantFrom("a", "b", "-", "é"), maxLength: 9 }), keyLike);
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.array(piece, { maxLength: 8 }), (secrets, pieces) => {
        const text = pieces.join("");
        expect(redact(text, ...secrets)).toBe(redactSlowly(text, secrets));
      }),
      { numRuns: 2000 },
    );
  });

  it("says for a line in pieces what it says for the whole line", () => {
    const piece = fc.oneof(fc.string({ unit: fc.constantFrom("a", "b", "-", "😀"), maxLength: 9 }), keyLike);
    const long = fc.tuple(piece, fc.nat(60)).map(([one, times]) => one.repeat(times));
    fc.assert(
      fc.property(
        fc.array(fc.oneof(piece, long), { maxLength: 6 }),
        fc.array(long, { maxLength: 12 }),
        (secrets, pieces) => {
          const redactor = new Redactor(secrets);
          const line = redactor.startLine();
          const out = pieces.map((one) => line.push(one)).join("") + line.end();
          expect(out).toBe(redactor.text(pieces.join("")));
        },
      ),
      { numRuns: 2000 },
    );
  });
});

const keyLike = fc.constantFrom("svc_", "svcjoin_", "aB3_-aB3_-aB3_-aB3_-", `.${"0f".repeat(32)}`);

/** Redacts by definition, without any care for how long it takes. No value here has a line break. */
function redactSlowly(text: string, secrets: readonly string[]): string {
  const inside = new Set<number>();
  const hide = (start: number, end: number): void => {
    for (let at = start + 1; at < end; at++) inside.add(at);
    hidden.fill(true, start, end);
  };
  const hidden = Array.from({ length: text.length }, () => false);
  for (const needle of secrets.flatMap(formsOf)) {
    for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) {
      const around = (text[at - 1] ?? "") + (text[at + needle.length] ?? "");
      if (needle.length >= 4 || !/\w/.test(around)) hide(at, at + needle.length);
    }
  }
  for (const { index, 0: key } of text.matchAll(/svc(?:join)?_[\w-]{16,}(?:\.[0-9a-f]{64})?/g)) {
    hide(index, index + key.length);
  }
  return hidden.map((is, at) => (!is ? text[at] : inside.has(at) ? "" : REDACTED)).join("");
}

function formsOf(value: string): string[] {
  if (value.length < 4) return value === "" ? [] : [value];
  const [base64, base64url] = (["base64", "base64url"] as const).map((form) => Buffer.from(value).toString(form));
  const hex = Buffer.from(value).toString("hex");
  const url = encodeURIComponent(value);
  const ascii = value.replaceAll("é", String.raw`\u00e9`);
  return [
    ascii,
    value,
    url,
    url.replace(/%../g, (code) => code.toLowerCase()),
    JSON.stringify(value).slice(1, -1),
    base64!.replace(/=+$/, ""),
    base64url!,
    hex,
    hex.toUpperCase(),
    ...[0, 1, 2].flatMap((before) => [within(before, value, "base64"), within(before, value, "base64url")]),
  ];
}

/** The characters of the base64 that stay the same whatever comes before and after the value. */
function within(before: number, value: string, form: "base64" | "base64url"): string {
  const ways = ["\0", "\x7f", "U", "*"].map((other) =>
    Buffer.from(other.repeat(before) + value + other.repeat(3)).toString(form),
  );
  const isSame = (at: number): boolean => ways.every((way) => way[at] === ways[0]![at]);
  const positions = [...ways[0]!].keys().filter(isSame).toArray();
  return positions.map((at) => ways[0]![at]).join("");
}
