import { expect, test } from "vitest";
import { COMMANDS } from "../dispatch/command-table.ts";
import { CliError } from "../output/cli-error.ts";
import { commandHelp, overview } from "./help.ts";
import { parseCommandLine } from "./parse-command-line.ts";

const parse = (line: string) => parseCommandLine(line === "" ? [] : line.split(" "), COMMANDS);

test.each([
  ["up", "up", []],
  ["--dir x up", "up", []],
  ["--json --dir x env set A=1 B", "env set", ["A=1", "B"]],
  ["env --app shop", "env list", []],
  ["env --app shop set A=1", "env set", ["A=1"]],
  ["env set -- -A=1", "env set", ["-A=1"]],
  ["logs -f -n 5", "logs", []],
  ["plan", "plan", []],
  ["plan plan", "plan", ["plan"]],
  ["rollback v3", "rollback", ["v3"]],
])("svc %s", (line, name, args) => {
  const { command, args: given } = parse(line);
  expect([command?.name, given]).toEqual([name, args]);
});

test("options are read wherever they stand", () => {
  const { flags } = parse("--dir x logs --json -fn 5 --app shop");
  expect([flags.text("dir"), flags.text("app"), flags.text("lines")]).toEqual(["x", "shop", "5"]);
  expect([flags.isSet("json"), flags.isSet("follow"), flags.isSet("help")]).toEqual([true, true, false]);
});

test.each([
  "nonsense",
  "env nonsense",
  "up extra",
  "up --nonsense",
  "logs -n",
  "domains add",
  "--nonsense",
  "up --json=1",
])("svc %s is wrong use", (line) => {
  expect(() => parse(line)).toThrow(CliError);
  try {
    parse(line);
  } catch (error) {
    expect((error as CliError).exit).toBe(2);
  }
});

test("wrong use is told in one sentence, with where to read on", () => {
  expect(() => parse("deploy --ref --force")).toThrow(
    "Option '--ref' argument is ambiguous. `svc deploy --help` lists what there is.",
  );
});

test.each([
  ["delpoy", 'There is no command "delpoy" (did you mean deploy?): use one of up, '],
  ["env sett", 'There is no command "env sett" (did you mean env set?)'],
  ["env nonsense", "use one of env list, env set, env unset, env pull, env push."],
  ["apps delet shop", 'There is no command "apps delet" (did you mean apps delete?): use one of apps, apps delete.'],
  ["logs --folow", "Unknown option '--folow' (did you mean --follow?). `svc logs --help` lists"],
  ["quite-different", 'There is no command "quite-different": use one of up, '],
])("svc %s is answered with what was probably meant", (line, sentence) => {
  expect(() => parse(line)).toThrow(sentence);
});

test("the help of a command that others begin with tells of these, too", () => {
  expect(parse("apps --help")).toMatchObject({ command: undefined, group: "apps" });
  expect(parse("apps").command?.name).toBe("apps");
});

test("every command has its help, its code, and a line in the overview", async () => {
  const all = overview(COMMANDS);
  for (const command of COMMANDS) {
    expect(all).toContain(`  ${command.name.split(" ")[0]} `);
    expect(commandHelp(command)).toContain(`svc ${command.name}`);
    expect(await command.load()).toBeTypeOf("function");
  }
  expect(new Set(COMMANDS.map(({ name }) => name)).size).toBe(COMMANDS.length);
});
