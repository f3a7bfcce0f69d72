import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { commandHelp, overview } from "svc-cli/command-line/help.ts";
import { COMMANDS } from "svc-cli/dispatch/command-table.ts";
import { sentencesOf } from "./sentences.ts";

const root = join(import.meta.dirname, "../..");
const ROOMS = "{shared,control-plane,agent,cli}/src/**/*.ts";
const PAGES = "control-plane/dashboard/src/**/*.{ts,tsx}";
const DEPLOY = "deploy/{quickstart,setup,base-images,bundle}/**/*.{ts,mjs}";
/** Tests and their doubles, generated code, and apps: nothing in them is said by the platform. */
const SILENT = /\.test\.|\/(?:gen|dummy|samples|migrations)\//;

const files = globSync([ROOMS, PAGES, DEPLOY], { cwd: root })
  .filter((file) => !SILENT.test(file))
  .toSorted();

test("all that people read stands in a file, so that a change of words shows in its diff (npm run sentences writes it)", async () => {
  const byRoom = Map.groupBy(files, roomOf);
  const rooms = [...byRoom].map(([room, members]) => {
    const sentences = members.flatMap((file) => sentencesOf(file, readFileSync(join(root, file), "utf8")));
    return [room, [...new Set(sentences)].toSorted().map(indented)] as const;
  });
  const told = rooms.filter(([, sentences]) => sentences.length > 0);
  const text = told.map(([room, sentences]) => `## ${room}\n\n${sentences.join("\n")}\n`).join("\n");
  await expect(text).toMatchFileSnapshot("sentences.txt");
}, 60_000);

test("the help of svc stands in a file as it is shown", async () => {
  const pages = [overview(COMMANDS), ...COMMANDS.map(commandHelp)];
  await expect(`${pages.join(`\n\n${"-".repeat(40)}\n\n`)}\n`).toMatchFileSnapshot("svc-help.txt");
});

test.each([
  ['fail("not_found", "There is no app.")', ["There is no app."]],
  ["say(`The app ${name} has ${apps.length} domains.`)", ["The app {name} has {apps.length} domains."]],
  ['say("One line, " + count + " of " + `${all}.`)', ["One line, {count} of {all}."]],
  ["say(`A ${list.map((one) => `${one} and another`).join()}`)", ["A {…}", "{one} and another"]],
  ['say("Done.")', ["Done."]],
  ['sql`select a from b`; run("git", ["rev-parse"])', []],
])("the sentences of %s are %j", (source, sentences) => {
  expect(sentencesOf("a.ts", source)).toEqual(sentences);
});

/** A workspace and the folder in it: a file that moves inside of its room changes nothing. */
function roomOf(file: string): string {
  const [workspace, ...folders] = relative(root, join(root, file)).replace("/src/", "/").split("/").slice(0, -1);
  return [workspace, ...folders.slice(0, 1)].join("/");
}

/** Lines after the first are set in, so that each sentence begins at the margin. */
function indented(sentence: string): string {
  return sentence.replaceAll("\n", "\n    ");
}
