import { describe, expect, it } from "vitest";
import { planOf, TEST_APP_ID } from "./testing.ts";

const MAIN = "package main\n\nfunc main() {\n}\n";
const GO_MOD = "module example.com/me/shop\n\ngo 1.22\n";
const GO = { "go.mod": GO_MOD, "main.go": MAIN };

describe("the Go program", () => {
  it.each<[string, Record<string, string>]>([
    [".", GO],
    [".", { ...GO, "cmd/tool/main.go": MAIN }],
    ["./cmd/web", { "go.mod": GO_MOD, "cmd/web/main.go": MAIN, "shop.go": "package shop" }],
    ["./cmd", { "go.mod": GO_MOD, "cmd/main.go": MAIN }],
    ["./cmd/shop", { "go.mod": GO_MOD, "cmd/shop/main.go": MAIN, "cmd/import/main.go": MAIN }],
    ["./cmd/shop", { "go.mod": "module x.org/shop/v2", "cmd/shop/main.go": MAIN, "cmd/import/main.go": MAIN }],
    ["./server", { "go.mod": GO_MOD, "server/main.go": MAIN, "internal/gen/main.go": MAIN }],
    ["./cmd/web", { "go.mod": GO_MOD, "gen.go": `//go:build ignore\n\n${MAIN}`, "cmd/web/main.go": MAIN }],
    [".", { ...GO, "main_test.go": "package main\nfunc TestMain() {}" }],
    [
      "./api",
      {
        "go.work": "go 1.22\n\nuse (\n\t./api\n\t./lib // shared\n)\n",
        "api/go.mod": "module a",
        "api/main.go": MAIN,
        "lib/go.mod": "module lib",
      },
    ],
    [
      "./api/cmd/web",
      {
        "go.work": "use ./api\nuse ./lib",
        "api/go.mod": "module a",
        "api/cmd/web/main.go": MAIN,
        "lib/go.mod": "module lib",
      },
    ],
  ])("is %s", (folder, files) => {
    const plan = planOf(files);
    expect(plan.framework).toBe("go");
    expect(plan.text).toContain(` -o /out/bin/app ${folder}\n`);
  });

  it("is refused with the list where there are several, or none", () => {
    const several = { "go.mod": GO_MOD, "cmd/export/main.go": MAIN, "cmd/import/main.go": MAIN };
    expect(() => planOf(several)).toThrow(
      /several Go programs \(\.\/cmd\/export, \.\/cmd\/import\).*`build` in svc\.yaml/s,
    );
    expect(() => planOf({ "go.mod": GO_MOD, "a.go": "package a" })).toThrow(/no program/);
  });

  it("is the only one of several that is called a server, with a note", () => {
    const plan = planOf({ "go.mod": GO_MOD, "cmd/server/main.go": MAIN, "cmd/import/main.go": MAIN });
    expect(plan.text).toContain(" -o /out/bin/app ./cmd/server\n");
    expect(plan.notes.join()).toMatch(/several Go programs, of which \.\/cmd\/server is built/);
    const both = { "go.mod": GO_MOD, "cmd/server/main.go": MAIN, "cmd/shop-api/main.go": MAIN };
    expect(() => planOf(both)).toThrow(/several Go programs/);
  });

  it("is what a user's own command makes", () => {
    const several = { "go.mod": GO_MOD, "cmd/export/main.go": MAIN, "cmd/import/main.go": MAIN };
    const named = planOf(several, { build: "go build -o bin/server ./cmd/web" }).text;
    expect(named).toMatch(/RUN --mount=\S+ --mount=\S+ \["\/bin\/sh","-c","go build -o bin\/server \.\/cmd\/web"\]/);
    expect(named).toMatch(/COPY --from=build --chown=1000:1000 \/src \/app\n[^]*CMD \["\.\/bin\/server"\]\n$/);
    expect(planOf(several, { build: "go build" }).text).toMatch(/CMD \["\.\/shop"\]\n$/);
    expect(planOf(several, { build: "go build -o out/ ./cmd/shop" }).text).toMatch(/CMD \["\.\/out\/shop"\]\n$/);
  });
});

describe("a Dockerfile for Go", () => {
  it("fetches modules before it sees the sources, into the app's own cache", () => {
    const { text } = planOf({ ...GO, "go.sum": "" });
    const id = `id=${TEST_APP_ID}-go`;
    expect(text).toMatch(
      new RegExp(
        `COPY go\\.mod go\\.sum \\./\nRUN --mount=type=cache,${id},target=/go/pkg/mod go mod download\nCOPY \\. \\.`,
      ),
    );
    expect(text).toContain(`${id}-build,target=/root/.cache/go-build,from=std,source=/root/.cache/go-build`);
  });

  it.each([
    ["the platform's own", undefined, "-trimpath -tags timetzdata "],
    ["a user's", "go build -o server .", ""],
    ["a user's, with paths cut", "go build -trimpath -o server .", "-trimpath "],
  ])("compiles Go's library for all apps with the flags of the command: %s", (_whose, build, flags) => {
    const [library, program] = planOf(GO, build === undefined ? {} : { build }).text.split(" AS build");
    expect(library).toContain(`\nRUN go build ${flags}net/http `);
    expect(program).toContain(build ?? `go build ${flags}-ldflags`);
  });

  it.each([
    ["vendor/modules.txt", { ...GO, "vendor/modules.txt": "" }],
    ["a replacement", { ...GO, "go.mod": `${GO_MOD}replace x => ../x`, "x/go.mod": "module x" }],
  ])("fetches nothing beforehand with %s", (_name, files) =>
    expect(planOf(files).text).not.toContain("go mod download"),
  );

  it("copies each module's manifests of a workspace to its place", () => {
    const { text } = planOf({
      "go.work": "use (\n./api\n./lib\n)",
      "api/go.mod": "module a",
      "api/go.sum": "",
      "api/main.go": MAIN,
      "lib/go.mod": "module lib",
    });
    expect(text).toContain("COPY go.work ./\nCOPY api/go.mod api/go.sum ./api/\nCOPY lib/go.mod ./lib/\n");
  });

  it("runs the program alone, with the folders that it reads, as a user without rights", () => {
    const last = planOf({ ...GO, "templates/a.html": "", "static/a.css": "", "internal/a.go": "" })
      .text.split(/^FROM /m)
      .at(-1)!;
    expect(last).toContain("COPY --chown=1000:1000 static ./static\nCOPY --chown=1000:1000 templates ./templates\n");
    expect(last).not.toContain("internal");
    expect(last).toMatch(/^debian:bookworm-slim\nENV PORT=8080[^]*USER 1000:1000\nEXPOSE 8080\nCMD \["app"\]\n$/);
  });

  it("links C only where a driver is C", () => {
    expect(planOf(GO).text).toContain("CGO_ENABLED=0");
    expect(planOf({ ...GO, "go.mod": `${GO_MOD}require github.com/mattn/go-sqlite3 v1.14.0` }).text).toContain(
      "CGO_ENABLED=1",
    );
  });
});

describe("the port of a program", () => {
  const source = (line: string) => ({ ...GO, "main.go": `${MAIN}${line}\n` });
  it.each([
    ['http.ListenAndServe(":8090", nil)', 8090],
    ['http.ListenAndServe("0.0.0.0:9000", nil)', 9000],
    ['port := os.Getenv("PORT"); if port == "" { listen(":9999") }', 8080],
    ['listen(":9999"); listen(":9090")', 8080],
    ['dial("127.0.0.1:99999")', 8080],
    ["", 8080],
  ])("in %j is %i", (line, port) => expect(planOf(source(line)).port).toBe(port));

  it("is noted when it is taken from the source, and never wins over a given one", () => {
    expect(planOf(source('ListenAndServe(":8080")')).notes.join()).toMatch(/does not read PORT and listens on 8080/);
    expect(planOf(source('ListenAndServe(":8080")'), { port: 5000 }).port).toBe(5000);
  });
});

const CARGO = { "Cargo.toml": '[package]\nname = "shop"\n', "Cargo.lock": "", "src/main.rs": "fn main() {}" };
const member = (folder: string, name: string, more = ""): Record<string, string> => ({
  [`${folder}/Cargo.toml`]: `[package]\nname = "${name}"\n${more}`,
});

describe("the Rust program", () => {
  it.each<[string, Record<string, string>]>([
    ["--package shop --bin shop", CARGO],
    [
      "--package shop --bin web",
      { "Cargo.toml": '[package]\nname = "shop"\n[[bin]]\nname = "web"\npath = "src/main.rs"', "src/main.rs": "" },
    ],
    ["--package shop --bin web", { "Cargo.toml": '[package]\nname = "shop"', "src/lib.rs": "", "src/bin/web.rs": "" }],
    ["--package shop --bin web", { "Cargo.toml": '[package]\nname = "shop"', "src/bin/web/main.rs": "" }],
    [
      "--package shop --bin web",
      { "Cargo.toml": '[package]\nname = "shop"\ndefault-run = "web"', "src/main.rs": "", "src/bin/web.rs": "" },
    ],
    [
      "--package api --bin api",
      {
        "Cargo.toml": '[workspace]\nmembers = ["crates/*"]',
        ...member("crates/api", "api"),
        "crates/api/src/main.rs": "",
        ...member("crates/lib", "lib"),
        "crates/lib/src/lib.rs": "",
      },
    ],
    [
      "--package api --bin api",
      {
        "Cargo.toml": '[workspace]\nmembers = ["api", "cli"]\ndefault-members = ["api"]',
        ...member("api", "api"),
        "api/src/main.rs": "",
        ...member("cli", "cli"),
        "cli/src/main.rs": "",
      },
    ],
    [
      "--package shop --bin shop",
      {
        ...CARGO,
        "Cargo.toml": '[package]\nname = "shop"\n[workspace]\nmembers = ["cli"]',
        ...member("cli", "cli"),
        "cli/src/main.rs": "",
      },
    ],
  ])("is %s", (expected, files) => {
    const plan = planOf(files);
    expect(plan.framework).toBe("rust");
    expect(plan.text).toContain(`cargo build --release${"Cargo.lock" in files ? " --locked" : ""} ${expected} &&`);
  });

  it("is refused with the list where there are several, or none", () => {
    expect(() => planOf({ ...CARGO, "src/bin/import.rs": "" })).toThrow(
      /several Rust programs \(shop, import\).*`default-run`/s,
    );
    expect(() => planOf({ "Cargo.toml": '[package]\nname = "a"', "src/lib.rs": "" })).toThrow(/no program/);
    expect(() => planOf({ "Cargo.toml": "[package]\nname = 1" })).toThrow(/`package\.name` is wrong/);
  });

  it("is the only one of several that is called a server, with a note", () => {
    const workspace = { "Cargo.toml": '[workspace]\nmembers = ["server", "cli"]', "Cargo.lock": "" };
    const members = { ...member("server", "shop-server"), ...member("cli", "shop-cli") };
    const plan = planOf({ ...workspace, ...members, "server/src/main.rs": "", "cli/src/main.rs": "" });
    expect(plan.text).toContain("--package shop-server --bin shop-server &&");
    expect(plan.notes.join()).toMatch(/of which shop-server is built/);
  });

  it("is built in the app's own caches, and runs alone", () => {
    const { text, notes } = planOf({ ...CARGO, "static/a.css": "" });
    expect(text).toContain(`id=${TEST_APP_ID}-cargo-target,target=/src/target,sharing=locked`);
    expect(text).toMatch(
      /FROM debian:bookworm-slim[^]*COPY --from=build \/out\/ \/usr\/local\/\nCOPY --chown=1000:1000 static \.\/static\nUSER 1000:1000[^]*CMD \["app"\]\n$/,
    );
    expect(notes).toEqual([]);
    expect(planOf({ "Cargo.toml": CARGO["Cargo.toml"], "src/main.rs": "" }).notes.join()).toMatch(/no Cargo\.lock/);
  });

  it("is what a user's own commands make and start", () => {
    const start = { form: "exec", words: ["./server"] } as const;
    const { text } = planOf({ ...CARGO, "src/bin/other.rs": "" }, { build: "make", start });
    expect(text).toMatch(
      /&& \/bin\/sh -c make && [^]*COPY --from=build --chown=1000:1000 \/src \/app[^]*CMD \["\.\/server"\]\n$/,
    );
  });

  it("is collected after a build that goes elsewhere, or ends with a comment", () => {
    const { text } = planOf(CARGO, { build: "cd app && make # it" });
    expect(text).toContain("&& /bin/sh -c 'cd app && make # it' && mkdir -p /out/bin");
  });

  it("listens where its source says, if that does not read PORT", () => {
    expect(planOf({ ...CARGO, "src/main.rs": 'TcpListener::bind("0.0.0.0:8000")' }).port).toBe(8000);
    expect(planOf({ ...CARGO, "src/main.rs": "SocketAddr::from(([0, 0, 0, 0], 8000))" }).port).toBe(8000);
  });
});
