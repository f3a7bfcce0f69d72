import { expect, test } from "vitest";
import { checkTeamName } from "./team.ts";

test.each(["Analytical Engines", "Équipe 2", "a".repeat(60), "👩‍💻 builders"])("%j is a team's name", (name) => {
  expect(() => checkTeamName(name)).not.toThrow();
});

test.each([
  "",
  " ",
  " a",
  "a ",
  "a".repeat(61),
  "a\nb",
  "a\u202eb",
  "Personal",
  "personal",
  "Personal\u2060",
  "per\u200bsonal",
  "\u200b",
])("%j is refused as a team's name, which the sentence quotes", (name) => {
  expect(() => checkTeamName(name)).toThrow(
    expect.objectContaining({ code: "invalid_request", message: expect.stringContaining(`"${name.slice(0, 1)}`) }),
  );
});
