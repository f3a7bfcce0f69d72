import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { parseDeploySpec, SpecError, type SpecProblem } from "./deploy-spec.ts";
import { promise } from "../../../test/support/promises/promise.ts";

function yaml(...lines: string[]): string {
  return ["# spec: svc/v1", ...lines, ""].join("\n");
}

function problemsIn(text: string, file = "svc.yaml"): readonly SpecProblem[] {
  try {
    parseDeploySpec(file, text);
  } catch (error) {
    if (error instanceof SpecError) return error.problems;
    throw error;
  }
  return [];
}

/** The one problem of the text, as it is shown. */
function problemIn(text: string, file = "svc.yaml"): string {
  const problems = problemsIn(text, file).map(
    ({ line, column, path, message }) => `${line}:${column}: ${path}: ${message}`,
  );
  expect(problems).toHaveLength(1);
  return problems[0]!;
}

describe("a spec file that keeps the rules", () => {
  it("needs only a name", () => {
    promise("spec file", "only the name is required");
    expect(parseDeploySpec("svc.yaml", yaml("name: shop"))).toEqual({
      name: "shop",
      services: {},
      env: [],
      resources: {},
    });
  });

  const full = {
    name: "shop",
    framework: "nextjs",
    build: "npm run build:prod",
    start: "NODE_ENV=production node server.js",
    port: 8080,
    services: { "main-db": { engine: "postgres", version: "15" } },
    env: ["SESSION_SECRET", "API_KEY"],
    resources: { memoryBytes: 512 * 1024 * 1024, cpuMillis: 500 },
  };

  it("may give every property in YAML", () => {
    const text = yaml(
      "name: shop",
      "framework: nextjs",
      "build: npm run build:prod",
      "start: NODE_ENV=production node server.js",
      "port: 8080",
      "services:",
      "  main-db:",
      "    engine: postgresql",
      '    version: "15"',
      "runtime: docker",
      "sandbox: false",
      "env:",
      "  - SESSION_SECRET",
      "  - API_KEY",
      "resources:",
      "  memory: 512m",
      '  cpus: "0.5"',
    );
    expect(parseDeploySpec("svc.yml", text)).toEqual(full);
  });

  it("may give every property in JSON, with a property in place of the first line", () => {
    const value = {
      spec: "svc/v1",
      ...full,
      services: { "main-db": { engine: "pg", version: "15" } },
      runtime: "docker",
      sandbox: false,
      resources: { memory: "512m", cpus: "0.5" },
    };
    for (const indent of [0, 2, "\t"]) {
      expect(parseDeploySpec("svc.json", JSON.stringify(value, null, indent))).toEqual(full);
    }
  });

  it("takes a minor version of PostgreSQL for its major", () => {
    const { services } = parseDeploySpec(
      "svc.yaml",
      `# spec: svc/v1\nname: a\nservices: {db: {engine: pg, version: "15.4"}}\n`,
    );
    expect(services).toEqual({ db: { engine: "postgres", version: "15" } });
  });

  it.each(["postgres", "postgresql", "pg"])("%s is PostgreSQL, 16 unless it says another version", (engine) => {
    promise("spec file", "a service is of version 16 unless it says another");
    const { services } = parseDeploySpec("svc.yaml", yaml("name: a", `services: {db: {engine: ${engine}}}`));
    expect(services).toEqual({ db: { engine: "postgres", version: "16" } });
  });

  it.each([
    ["carriage returns", yaml("name: shop", "port: 80").replaceAll("\n", "\r\n")],
    ["a byte-order mark", `\ufeff${yaml("name: shop", "port: 80")}`],
    ["a document marker", yaml("---", "name: shop", "port: 80")],
    ["no line end at its end", yaml("name: shop", "port: 80").trimEnd()],
    ["comments", yaml("# mine", "name: shop # here too", "port: 80")],
  ])("may have %s", (_what, text) => {
    expect(parseDeploySpec("svc.yaml", text)).toMatchObject({ name: "shop", port: 80 });
  });

  it("may have a build of several lines, each of which has to succeed", () => {
    const text = yaml("name: a", "build: |", "  npm run css", "  npm run js");
    expect(parseDeploySpec("svc.yaml", text).build).toBe("set -e\nnpm run css\nnpm run js");
  });

  it("may fold a command over several lines", () => {
    const text = yaml("name: a", "build: >", "  npm run css", "  && npm run js", "start: |", "  ./migrate", "  node x");
    expect(parseDeploySpec("svc.yaml", text)).toMatchObject({
      build: "npm run css && npm run js",
      start: "./migrate\nnode x",
    });
  });

  it.each([
    ["512m", 512 * 1024 ** 2],
    ["1g", 1024 ** 3],
    ["16m", 16 * 1024 ** 2],
  ])("memory %s", (memory, memoryBytes) => {
    promise("spec file", "the container's memory can be capped");
    const text = yaml("name: a", `resources: {memory: ${memory}}`);
    expect(parseDeploySpec("svc.yaml", text).resources).toEqual({ memoryBytes });
  });

  it.each([
    ["1.0", 1000],
    ["0.5", 500],
    ["2", 2000],
    ["0.0125", 13],
  ])("cpus %s", (cpus, cpuMillis) => {
    promise("spec file", "the container's processors can be capped");
    const text = yaml("name: a", `resources: {cpus: "${cpus}"}`);
    expect(parseDeploySpec("svc.yaml", text).resources).toEqual({ cpuMillis });
  });
});

describe("a rule that is broken is told with its place and what is allowed", () => {
  const expectProblem = (lines: readonly string[], expected: string): void => {
    expect(problemIn(yaml(...lines))).toContain(expected);
  };

  it.each<[string[], string]>([
    [["name: Shop"], '2:7: name: "Shop" can\'t be a subdomain'],
    [["name: -shop"], "2:7: name: "],
    [["name: shop-"], "2:7: name: "],
    [["name: 'a b'"], "2:7: name: "],
    [[`name: ${"a".repeat(64)}`], "2:7: name: has 64 characters; at most 63"],
    [["name: 2024"], '2:7: name: is 2024; allowed is a name. Put it in quotes: "2024".'],
    [["name:"], "2:6: name: is empty"],
    [["port: 80"], "2:1: name: is missing"],
    [["name: a", "name: b"], "3:1: name: is given twice"],
  ])("name: %j", (lines, expected) => {
    promise("spec file", "the name is a label of at most 63 characters");
    expectProblem(lines, expected);
  });

  it.each<[string[], string]>([
    [["name: a", "frmework: go"], "3:1: frmework: is not a property here; allowed are name, framework"],
    [["name: a", "frmework: go"], "Did you mean framework?"],
    [
      ["name: a", "services: {db: {engine: pg, versoin: '16'}}"],
      "3:29: services.db.versoin: is not a property here; allowed are engine, version. Did you mean version?",
    ],
    [
      ["name: a", 'resources: {cpu: "1"}'],
      "3:13: resources.cpu: is not a property here; allowed are memory, cpus. Did you mean cpus?",
    ],
  ])("an unknown property: %j", (lines, expected) => {
    promise("spec file", "an unknown property is refused");
    expectProblem(lines, expected);
  });

  it.each<[string[], string]>([
    [["name: a", "framework: nextj"], '3:12: framework: is "nextj"; allowed is one of nextjs, remix'],
    [["name: a", "framework: nextj"], "Did you mean nextjs?"],
  ])("framework: %j", (lines, expected) => {
    promise("spec file", "the framework is one of the fifteen, in place of what is recognised");
    expectProblem(lines, expected);
  });

  it.each<[string[], string]>([
    [["name: a", "build: ''"], "3:8: build: is empty"],
    [
      ["name: a", "build: true"],
      '3:8: build: is true; allowed is a command, such as npm run build. Put it in quotes: "true".',
    ],
    [["name: a", 'build: "a\\eb"'], "3:8: build: holds a control character"],
  ])("build: %j", (lines, expected) => expectProblem(lines, expected));

  it.each<[string[], string]>([
    [["name: a", 'start: "a\\0b"'], "3:8: start: holds a control character"],
    [["name: a", `start: ${"x".repeat(4097)}`], "3:8: start: has 4097 characters; at most 4096"],
    [["name: a", "start: [node, x]"], "3:8: start: is a list; allowed is a command"],
  ])("start: %j", (lines, expected) => expectProblem(lines, expected));

  it.each<[string[], string]>([
    [["name: a", "port: 0"], "3:7: port: is 0; allowed is a whole number from 1 to 65535."],
    [["name: a", "port: 65536"], "3:7: port: is 65536; allowed is a whole number from 1 to 65535."],
    [["name: a", "port: 80.5"], "3:7: port: is 80.5"],
    [["name: a", "port: '80'"], '3:7: port: is "80"; allowed is a whole number'],
  ])("port: %j", (lines, expected) => {
    promise("spec file", "the port is between 1 and 65535");
    expectProblem(lines, expected);
  });

  it.each<[string[], string]>([
    [["name: a", "services: [pg]"], "3:11: services: is a list; allowed is services by name"],
    [["name: a", "services: {db: pg}"], '3:16: services.db: is "pg"; allowed is a service with `engine`'],
    [
      ["name: a", "services: {db: {}}"],
      "3:16: services.db.engine: is missing; allowed is one of postgres, postgresql, pg.",
    ],
    [["name: a", "services: {db: {engine: postgre}}"], "Did you mean postgres?"],
    [["name: a", "services: {db: {engine: mysql}}"], "3:25: services.db.engine: mysql is reserved for v1.x"],
    [["name: a", "services: {db: {engine: mariadb}}"], "mariadb is reserved for v1.x"],
    [
      ["name: a", "services: {db: {engine: pg, version: 16}}"],
      "3:38: services.db.version: is 16; allowed is one of 12",
    ],
    [["name: a", "services: {db: {engine: pg, version: 16}}"], 'Put it in quotes: "16".'],
    [
      ["name: a", "services: {db: {engine: pg, version: '11.3'}}"],
      'is "11.3"; allowed is one of 12, 13, 14, 15, 16, 17, 18.',
    ],
    [["name: a", "services: {'a b': {engine: pg}}"], '3:12: services."a b": "a b" can\'t name a service'],
    [["name: a", "services: {__proto__: {engine: pg}}"], "3:12: services.__proto__: can't name a service"],
    [
      ["name: a", 'services: {a: {engine: pg}, b: {engine: pg, version: "15"}}'],
      "3:29: services.b: asks for PostgreSQL 15, and a for 16: an app's databases are of one server.",
    ],
    [
      ["name: a", "services: {a-b: {engine: pg}, A.b: {engine: pg}}"],
      '3:31: services."A.b": would have the same variable and database as a-b: choose another name.',
    ],
    [
      ["name: a", "services: {a: {engine: pg}, 1: {engine: pg}}"],
      "services.1: is a number: name a service with a letter",
    ],
    [
      ["name: a", `services: {${Array.from({ length: 9 }, (_, i) => `s${i}: {engine: pg}`).join(", ")}}`],
      "services.s8: is one too many: an app has at most 8 databases.",
    ],
    [["name: a", "services:", "\tdb: x"], "4:1: : a tab indents this line"],
  ])("services: %j", (lines, expected) => {
    promise(
      "spec file",
      "a service is named, and has an engine and perhaps a version",
      "a service is PostgreSQL; MySQL and MariaDB are reserved",
    );
    expectProblem(lines, expected);
  });

  it.each<[string[], string]>([
    [["name: a", "runtime: sysbox"], "3:10: runtime: sysbox is reserved for v1.x"],
    [["name: a", "runtime: podman"], '3:10: runtime: is "podman"; allowed is docker.'],
  ])("runtime: %j", (lines, expected) => {
    promise("spec file", "the runtime is docker; sysbox is reserved");
    expectProblem(lines, expected);
  });

  it.each<[string[], string]>([
    [["name: a", "sandbox: true"], "3:10: sandbox: true is reserved for v1.x"],
    [["name: a", "sandbox: 'false'"], '3:10: sandbox: is "false"; allowed is false.'],
  ])("sandbox: %j", (lines, expected) => {
    promise("spec file", "the sandbox is off, and reserved");
    expectProblem(lines, expected);
  });

  it.each<[string[], string]>([
    [["name: a", "env: {A: 1}"], "3:6: env: is a map; allowed is a list of names"],
    [["name: a", "env: [1A]"], '3:7: env[0]: "1A" can\'t name a variable'],
    [["name: a", "env: [A, PORT]"], "3:10: env[1]: PORT is set by the platform: give `port` instead."],
    [["name: a", "env: [SVC_APP]"], "names that begin with SVC_ belong to the platform"],
    [["name: a", "env: [A, B, A]"], '3:13: env[2]: "A" is listed twice'],
    [["name: a", `env: [${Array.from({ length: 65 }, (_, i) => `K${i}`).join(", ")}]`], "3:6: env: holds more than 64"],
  ])("env: %j", (lines, expected) => {
    promise("spec file", "the variables that the app must be given are listed");
    expectProblem(lines, expected);
  });

  it.each<[string[], string]>([
    [["name: a", "resources: {memory: 512M}"], '3:21: resources.memory: is "512M"; allowed is a text such as "512m"'],
    [["name: a", "resources: {memory: 15m}"], "3:21: resources.memory: "],
    [["name: a", "resources: {memory: 9999999999g}"], "3:21: resources.memory: "],
    [["name: a", "resources: {cpus: 0.5}"], "3:19: resources.cpus: is 0.5; allowed is a text in quotes"],
    [["name: a", 'resources: {cpus: "0"}'], "3:19: resources.cpus: "],
  ])("resources: %j", (lines, expected) => expectProblem(lines, expected));

  it.each<[string[], string]>([
    [["name: a", "spec: svc/v1"], "3:1: spec: belongs into svc.json only"],
    [["name: &x a"], "2:10: name: anchors"],
    [["name: !!str a"], "2:13: name: tags"],
    [["name: !x a"], "2:10: name: tags"],
    [["name: a", "? [b]", ": c"], "3:3: : a name must be a plain text here."],
    [["name: a", "---", "name: b"], "3:1: : a second document begins here"],
    [["name: 'a"], "3:1: : is not YAML: Missing closing 'quote"],
    [["name: a: b"], "2:7: : a second `:` for one name"],
    [["name: a", "  port: 80"], "2:7: : a second `:` for one name"],
    [["- a"], "2:1: : is a list; allowed is names with values"],
    [["just words"], '2:1: : is "just words"; allowed is names with values'],
  ])("YAML itself: %j", (lines, expected) => expectProblem(lines, expected));

  it.each([
    ["name: a\n", "1:1: : the first line must be exactly `# spec: svc/v1` or `# spec: svc/v2`."],
    ["#spec: svc/v1\nname: a\n", "1:1: : the first line says"],
    ["# spec: svc/v3\nname: a\n", '1:1: : the first line says "svc/v3"'],
    ["\n# spec: svc/v1\nname: a\n", "1:1: : the first line must be exactly"],
    ["# spec: svc/v1\n", "2:1: name: is missing"],
    [`# spec: svc/v1\nname: a\n#${"x".repeat(65_536)}`, "1:1: : has more than 65536 bytes"],
    ...[2_000, 5_000, 20_000].map((depth) => [`# spec: svc/v1\nname: ${"[".repeat(depth)}`, "is nested too deeply"]),
  ])("the first line, and the size: %j", (text, expected) => {
    promise("spec file", "the first line tells the version, svc/v1");
    expect(problemIn(text)).toContain(expected);
  });

  it.each([
    ['{"name": "a"}', '1:1: spec: is missing; give `"spec": "svc/v1"`, or "svc/v2".'],
    [`{"spec": "svc/v3", "name": "a"}`, `1:10: spec: is "svc/v3"; allowed is "svc/v1" or "svc/v2".`],
    ['{"spec": "svc/v1",\n "name": "a",\n "port": "1"}', '3:10: port: is "1"; allowed is a whole number'],
    ['{"spec": "svc/v1", "name": "a",}', '1:32: : is not JSON: "}", where a name in double quotes is expected.'],
    ['{"spec": "svc/v1", "name": "a"', "1:31: : is not JSON: the file ends here, where `,` or `}` is expected."],
    ['{"spec": "svc/v1", name: "a"}', "1:20: : is not JSON"],
    ['{"spec": "svc/v1", "name": "a"} x', '1:33: : is not JSON: "x", where the end of the file is expected.'],
    ['{"spec": "svc/v1", "name": "a", "name": "b"}', "1:33: name: is given twice"],
    ['{"spec": "svc/v1", "name": "\\x"}', "1:28: : a text holds a control character, or an escape"],
    ['{"spec": "svc/v1", "name": "a', "1:28: : a text in double quotes does not end"],
    ['{"spec": "svc/v1", "name": 01}', "1:28: : is not JSON"],
    ["// no comments\n{}", '1:1: : is not JSON: "/"'],
    ["", "1:1: name: is missing"],
    ["[".repeat(30_000), "is nested too deeply"],
  ])("JSON: %j", (text, expected) => {
    expect(problemIn(text, "svc.json")).toContain(expected);
  });

  it("a value that is nested too deeply", () => {
    const problems = problemsIn(yaml(`name: ${"[".repeat(40)}${"]".repeat(40)}`));
    expect(problems.map(({ message }) => message)).toContain("is nested too deeply.");
  });

  it("all of them at once, in order of place, with one message for all", () => {
    const text = ["name: Shop", "port: 0", "env: [PORT]", "sandbox: true", "resources: {cpu: 1}", ""].join("\n");
    const problems = problemsIn(text);
    expect(problems.map(({ line }) => line)).toEqual([1, 1, 2, 3, 4, 5]);
    expect(() => parseDeploySpec("svc.yaml", text)).toThrow(/^svc\.yaml:1:1: the first line.*\nsvc\.yaml:1:7: name: /);
  });

  it("and no value of a variable that was written by mistake", () => {
    expect(problemIn(yaml("name: a", "env: ['TOKEN=hunter2']"))).not.toContain("hunter2");
  });
});

describe("any text", () => {
  const valid = [
    yaml("name: shop", "port: 80", "services:", "  db: {engine: pg, version: '16'}", "env: [A, B]", "start: |", "  x"),
    '{"spec": "svc/v1", "name": "shop", "port": 80, "env": ["A"], "resources": {"memory": "1g"}}',
  ];
  const file = fc.constantFrom("svc.yaml", "svc.json");

  function expectOnlySpecErrors(name: string, text: string): void {
    try {
      parseDeploySpec(name, text);
    } catch (error) {
      expect(error).toBeInstanceOf(SpecError);
      const { problems } = error as SpecError;
      expect(problems.length).toBeGreaterThan(0);
      const lines = text.split("\n");
      for (const { line, column, message } of problems) {
        expect(line).toBeGreaterThanOrEqual(1);
        expect(line).toBeLessThanOrEqual(lines.length);
        expect(column).toBeGreaterThanOrEqual(1);
        expect(column).toBeLessThanOrEqual(lines[line - 1]!.length + 1);
        expect(message).toBeTruthy();
      }
    }
  }

  test("gives a spec or a SpecError with places inside of it, never anything else", () => {
    fc.assert(
      fc.property(file, fc.string({ unit: "binary", maxLength: 300 }), fc.boolean(), (name, text, isMarked) =>
        expectOnlySpecErrors(name, isMarked ? `# spec: svc/v1\n${text}` : text),
      ),
    );
  });

  test("so does a valid one with pieces changed", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "\t",
        ":",
        "&a ",
        "*a",
        "- ",
        "---\n",
        "{",
        "}",
        "[",
        "]",
        '"',
        "'",
        "\n",
        "!!x ",
        "__proto__: 1\n",
      ),
      fc.string({ unit: "binary", maxLength: 5 }),
    );
    const change = fc.tuple(fc.nat(200), fc.nat(10), piece);
    fc.assert(
      fc.property(file, fc.constantFrom(...valid), fc.array(change, { maxLength: 4 }), (name, text, changes) => {
        const changed = changes.reduce((was, [at, cut, put]) => was.slice(0, at) + put + was.slice(at + cut), text);
        expectOnlySpecErrors(name, changed);
      }),
    );
  });

  test("JSON means what JSON.parse says that it means", () => {
    const name = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
    const start = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 50 })
      .filter((text) => !/\p{Cc}/u.test(text) && text.trim() !== "");
    fc.assert(
      fc.property(name, start, fc.integer({ min: 1, max: 65_535 }), (appName, command, port) => {
        const text = JSON.stringify({ spec: "svc/v1", name: appName, start: command, port });
        expect(parseDeploySpec("svc.json", text)).toMatchObject({ name: appName, start: command.trim(), port });
      }),
    );
  });
});
