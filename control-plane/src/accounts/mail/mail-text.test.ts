import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  accountExistsMail,
  addressChangedMail,
  changeOfAddressMail,
  factorChangedMail,
  invitationMail,
  joinMail,
  keyMadeMail,
  newSignInMail,
  providerChangedMail,
  passkeyCopiedMail,
  resetMail,
  serviceNameOf,
  verifyMail,
  type Mail,
  waysStayMail,
} from "./mail-text.ts";

const service = serviceNameOf("https://svc.example.com:8443");
const link = "https://svc.example.com/join?token=a-b_c&team=1";
const at = new Date("2026-03-01T12:00:59Z");

/** Every kind, with `value` wherever others choose the text. */
const everyMail = (value: string): Mail[] => [
  invitationMail({ service, link, teamName: value, inviter: value, expiresAt: at }),
  joinMail({ service, link, expiresAt: at }),
  accountExistsMail({ service, link }),
  verifyMail({ service, link }),
  resetMail({ service, link }),
  changeOfAddressMail({ service, oldAddress: value, link }),
  addressChangedMail({ service, oldAddress: value, newAddress: value }),
  newSignInMail({ service, at, address: value, device: value }),
  keyMadeMail({ service, name: value, prefix: value }),
  factorChangedMail({ service, factor: "totp", isOn: true }),
  providerChangedMail({ service, provider: value, isOn: true }),
  providerChangedMail({ service, provider: value, isOn: false }),
  factorChangedMail({ service, factor: "passkey", isOn: false, name: value }),
  waysStayMail({ service, passkeys: [value, value], providers: [value, value] }),
  passkeyCopiedMail({ service, at, address: value, name: value }),
];

const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 300 }),
  fc
    .array(
      fc.constantFrom("\r\n", "\n", "\r", "\u2028", "\u0085", "Bcc: x@y.test", "<script>", '"', "'", "&", "\ud800"),
      {
        maxLength: 30,
      },
    )
    .map((parts) => parts.join("")),
);

/** What a reader of the HTML sees. */
function shownBy(html: string): string {
  const body = html.slice(html.indexOf("<body>"));
  const characters: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  return body
    .replace(/<[^>]*>/g, "")
    .replace(/&(#?\w+);/g, (_, name: string) => characters[name] ?? "?")
    .replace(/\s+/g, " ")
    .trim();
}

test("an invitation tells who invites to which team, the link, and when it ends", () => {
  expect(invitationMail({ service, link, teamName: "Rockets", inviter: "ada@example.com", expiresAt: at })).toEqual({
    kind: "invitation",
    subject: 'Join the team "Rockets" on svc.example.com',
    text: `ada@example.com invites you to join the team "Rockets" on svc.example.com. To accept, open this link:

${link}

The link works once, until 2026-03-01 12:00 UTC. If you don't know ada@example.com, ignore this mail.
`,
    html: expect.stringContaining('<a href="https://svc.example.com/join?token=a-b_c&amp;team=1">') as string,
  });
});

test("a new sign-in is told with its time, address and device", () => {
  const { text } = newSignInMail({ service, at, address: "192.0.2.1", device: "Firefox on Linux" });
  expect(text).toContain("Time: 2026-03-01 12:00 UTC\nAddress: 192.0.2.1\nDevice: Firefox on Linux\n");
});

describe("whatever names and addresses hold", () => {
  test("the text says all that the HTML shows", () => {
    const property = fc.property(hostile, (value) => {
      for (const { text, html } of everyMail(value)) expect(shownBy(html)).toBe(text.replace(/\s+/g, " ").trim());
    });
    fc.assert(property);
  });

  test("a subject is one line without control characters", () => {
    const property = fc.property(hostile, (value) => {
      for (const { subject } of everyMail(value)) expect(subject).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    });
    fc.assert(property);
  });

  test("they add no line to the text and no element to the HTML", () => {
    const linesIn = (text: string): number => text.split(/\r\n|[\n\r\u0085\u2028\u2029]/).length;
    const tagsIn = (html: string): string[] => html.match(/<[^>]*>/g) ?? [];
    const plain = everyMail("x");
    const property = fc.property(hostile, (value) => {
      for (const [index, { text, html }] of everyMail(value).entries()) {
        expect(linesIn(text)).toBe(linesIn(plain[index]!.text));
        expect(tagsIn(html)).toEqual(tagsIn(plain[index]!.html));
      }
    });
    fc.assert(property);
  });

  test("the text can be sent as UTF-8, and stays short", () => {
    const property = fc.property(hostile, (value) => {
      for (const { subject, text, html } of everyMail(value)) {
        expect(`${subject}${text}${html}`.isWellFormed()).toBe(true);
        expect(text.length).toBeLessThan(1_500);
      }
    });
    fc.assert(property);
  });
});

test("a name doesn't turn the direction of the text around it", () => {
  const { text } = invitationMail({ service, link, teamName: "a\u202eb", inviter: "\u2066c", expiresAt: at });
  expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
});

test("no mail loads anything from elsewhere", () => {
  for (const { html } of everyMail('<img src="https://x.test/y">'))
    expect(html).not.toMatch(/<(img|link|script|style|iframe)/);
});

test.each(["javascript:alert(1)", "https://a.test/\r\nb", "https://a.test/ b", "/join", ""])(
  "%j is refused as a link, and not quoted",
  (wrong) => {
    expect(() => verifyMail({ service, link: wrong })).toThrow(
      /^the link of a mail is not an http:\/\/ or https:\/\/ address$/,
    );
  },
);
