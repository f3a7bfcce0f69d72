import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { newId } from "@svc/shared/rules/ids.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startBuilds, type Builds } from "../../support/engine/builds.ts";
import { newApp } from "../../support/engine/docker.ts";
import { createOwnerBuilds, type OwnerBuilds } from "../../support/engine/owner-builds.ts";

const SECRET = `metrics-of-the-host-${newId()}`;
const owner = newApp();

let builds: Builds;
let owners: OwnerBuilds;
let server: Server;
let port: number;
let asked: string[] = [];

/** 127.0.0.2 is a public host as far as the guard is told; 127.0.0.1 is the platform's own. */
const PUBLIC = { outbound: { allowCidrs: ["127.0.0.2/32"], caPem: "", dnsServers: [] } };

function answer(request: IncomingMessage, response: ServerResponse): void {
  asked.push(`${request.socket.localAddress}${request.url}`);
  const to = (location: string): void => void response.writeHead(302, { location }).end();
  if (request.url === "/to-host") return to(`http://127.0.0.1:${port}/metrics`);
  if (request.url === "/to-name") return to(`http://localhost:${port}/metrics`);
  if (request.url === "/to-file") return to("file:///etc/passwd");
  if (request.url === "/around") return to("/around");
  if (request.url === "/moved") return to("/tool.txt?token=of-the-host");
  if (request.url === "/missing") return void response.writeHead(404).end("not here");
  response.writeHead(200, { "last-modified": "Tue, 02 Jan 2024 03:04:05 GMT" }).end(`${SECRET}\n`);
}

beforeAll(async () => {
  builds = await startBuilds();
  owners = await createOwnerBuilds(builds.engineWith());
  server = createServer(answer).listen(0, "0.0.0.0");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});
beforeEach(() => {
  asked = [];
});
afterAll(async () => {
  server?.close();
  await owners?.cleanUp();
  await builds?.cleanUp();
});

const from = (...lines: string[]): string => ["FROM debian:bookworm-slim", ...lines, "RUN cat /m*", ""].join("\n");

type Attack = [what: string, dockerfile: () => string];

const ATTACKS: Attack[] = [
  ["the host's own port", () => from(`ADD http://127.0.0.1:${port}/metrics /m`)],
  ["the host's own port by name", () => from(`ADD http://localhost:${port}/metrics /m`)],
  ["a name below localhost", () => from(`ADD http://a.localhost:${port}/metrics /m`)],
  ["an address as one number", () => from(`ADD http://2130706433:${port}/metrics /m`)],
  ["a short address", () => from(`ADD http://127.1:${port}/metrics /m`)],
  ["an IPv6 address", () => from(`ADD http://[::1]:${port}/metrics /m`)],
  ["an IPv4 address inside an IPv6 one", () => from(`ADD http://[::ffff:127.0.0.1]:${port}/metrics /m`)],
  ["an address of every interface", () => from(`ADD http://0.0.0.0:${port}/metrics /m`)],
  ["the cloud's metadata", () => from("ADD http://169.254.169.254/latest/meta-data/ /m")],
  ["another app", () => from("ADD http://10.210.0.3:3000/ /m")],
  ["a redirect to the host", () => from(`ADD http://127.0.0.2:${port}/to-host /m`)],
  ["a redirect to the host by name", () => from(`ADD http://127.0.0.2:${port}/to-name /m`)],
  ["a redirect to a file", () => from(`ADD http://127.0.0.2:${port}/to-file /m`)],
  ["redirects without end", () => from(`ADD http://127.0.0.2:${port}/around /m`)],
  ["capitals", () => from(`aDd HTTP://127.0.0.1:${port}/metrics /m`)],
  ["an array", () => from(`ADD ["http://127.0.0.1:${port}/metrics", "/m"]`)],
  ["an array behind white space that only Go knows", () => from(`ADD \u0085["http://127.0.0.2:${port}/x", "/m"]`)],
  [
    "a trigger with such white space",
    () =>
      `FROM debian:bookworm-slim AS a\nONBUILD ADD \u0085["http://127.0.0.2:${port}/x", "/m"]\nFROM a\nRUN cat /m\n`,
  ],
  ["an argument", () => from("ARG A=http://127.0.0.1", `ADD $A:${port}/metrics /m`)],
  ["an argument of before the first stage", () => `ARG A=127.0.0.1\n${from("ARG A", `ADD http://$A:${port}/ /m`)}`],
  ["a variable in parts", () => from("ENV A=ht B=tp", `ADD "$A"'tp'://127.0.0.1:${port}/metrics /m`)],
  ["a variable of the old form", () => from(`ENV A http://127.0.0.1:${port}/metrics`, "ADD ${A} /m")],
  [
    "a variable of another stage",
    () => `FROM debian:bookworm-slim AS a\nENV A=http://127.0.0.1:${port}/\nFROM a\nADD $A /m\n`,
  ],
  ["a variable's default", () => from(`ADD \${NONE:-http://127.0.0.1:${port}/} /m`)],
  ["a variable that only a shell knows", () => from("ENV A=xhttp://127.0.0.1/", "ADD ${A#x} /m")],
  ["a second source", () => from(`ADD Dockerfile http://127.0.0.1:${port}/metrics /m/`)],
  ["a flag before it", () => from(`ADD --chown=1:1 --chmod=644 http://127.0.0.1:${port}/metrics /m`)],
  ["a continued line", () => from("ADD ht\\", `tp://127.0.0.1:${port}/metrics /m`)],
  [
    "a trigger",
    () => `FROM debian:bookworm-slim AS a\nONBUILD ADD http://127.0.0.1:${port}/metrics /m\nFROM a\nRUN cat /m\n`,
  ],
  [
    "a trigger with a variable",
    () => `FROM debian:bookworm-slim AS a\nENV A=http://127.0.0.1:${port}/\nONBUILD ADD $A /m\nFROM a\n`,
  ],
  ["a git address", () => from("ADD git@127.0.0.1:a/b.git /m")],
  ["a git address over http", () => from(`ADD http://127.0.0.1:${port}/a/b.git#main /m`)],
  ["a git address of the host", () => from(`ADD https://127.0.0.1:${port}/a/b.git#main /m`)],
  ["a git address of the host by name", () => from(`ADD https://localhost:${port}/a/b.git /m`)],
  ["a git address as one number", () => from(`ADD https://2130706433:${port}/a/b.git /m`)],
  ["a git address of the cloud's metadata", () => from("ADD https://169.254.169.254/a.git /m")],
  ["a git address in a variable", () => from(`ARG A=https://127.0.0.1:${port}`, "ADD $A/b.git#main:docs /m")],
  ["a git address with a password", () => from(`ADD https://user:pass@127.0.0.2:${port}/b.git /m`)],
  ["a git address with a query", () => from(`ADD https://127.0.0.2:${port}/b.git?ref=user:pass /m`)],
  ["a git address with its .git folder", () => from(`ADD --keep-git-dir=true https://127.0.0.2:${port}/b.git /m`)],
  ["a git address with a checksum", () => from(`ADD --checksum=sha256:0 https://127.0.0.2:${port}/b.git /m`)],
  ["a git address with a path that leads out", () => from(`ADD https://127.0.0.2:${port}/b.git#main:../../etc /m`)],
  ["a git address of git's own protocol", () => from(`ADD git://127.0.0.1:${port}/b.git /m`)],
  ["a trigger with a git address", () => from(`ONBUILD ADD https://127.0.0.2:${port}/b.git /m`)],
  ["another scheme", () => from("ADD ftp://127.0.0.1/m /m")],
  ["an address with a password", () => from(`ADD http://user:pass@127.0.0.2:${port}/m /m`)],
  ["a checksum of something else", () => from(`ADD --checksum=sha256:${"0".repeat(64)} http://127.0.0.2:${port}/m /m`)],
];

describe("an ADD reaches public addresses only", () => {
  it.each(ATTACKS)("whatever it is written with: %s", async (_what, dockerfile) => {
    const { error, read } = await owners.refusal(owner, dockerfile(), PUBLIC);
    expect(error.code).toBe("build_failed");
    expect(error.message).toMatch(/^Line \d+ of the Dockerfile, (?:ADD|ONBUILD): /);
    expect(read).not.toContain(SECRET);
    expect(read).not.toContain("user:pass");
    expect(asked.filter((one) => !one.startsWith("127.0.0.2") || one.endsWith("/x"))).toEqual([]);
  });

  it("with the sentence that clones get", async () => {
    const { error } = await owners.refusal(owner, from(`ADD http://127.0.0.1:${port}/metrics /m`), PUBLIC);
    expect(error.message).toBe(
      `Line 2 of the Dockerfile, ADD: http://127.0.0.1:${port}/metrics cannot be fetched. 127.0.0.1 is loopback; ` +
        "only public addresses are reached. Whoever runs this service can allow others with SVC_OUTBOUND_ALLOW.",
    );
  });

  it("and says with which status a host refuses", async () => {
    const { error } = await owners.refusal(owner, from(`ADD http://127.0.0.2:${port}/missing /m`), PUBLIC);
    expect(error.message).toMatch(/\/missing cannot be fetched\. Its host answers with status 404\.$/);
  });
});

describe("an ADD of a public address", () => {
  it("adds the file as the builder would, fetched once, with files of the repository beside it", async () => {
    const sha256 = createHash("sha256").update(`${SECRET}\n`).digest("hex");
    const url = `http://127.0.0.2:${port}/tool.txt`;
    const { lines } = await owners.build(
      owner,
      {
        Dockerfile: [
          "FROM debian:bookworm-slim",
          `ARG BASE=http://127.0.0.2:${port}`,
          "WORKDIR /w",
          `ADD --checksum=sha256:${sha256} ${url} ./`,
          "ADD own.txt $BASE/tool.txt /both/",
          `ADD --chown=7:8 --chmod=0751 ${url} /named`,
          `ADD http://127.0.0.2:${port}/moved /dir/`,
          `RUN : ${newId()}; stat -c '%n %a %u:%g %Y' /w/tool.txt /both/own.txt /both/tool.txt /named /dir/*; ls -A /w; cat /named`,
          "",
        ].join("\n"),
        "own.txt": "own",
      },
      PUBLIC,
    );
    const text = lines.join("\n");
    expect(text).toMatch(/ \/w\/tool\.txt 600 0:0 1704164645$/m);
    expect(text).toMatch(/ \/both\/own\.txt 644 0:0 /);
    expect(text).toMatch(/ \/both\/tool\.txt 600 0:0 1704164645$/m);
    expect(text).toMatch(/ \/named 751 7:8 1704164645$/m);
    expect(text).toMatch(/ \/dir\/moved 600 0:0 /);
    expect(text).toContain(SECRET);
    expect(asked).toEqual(["127.0.0.2/tool.txt", "127.0.0.2/moved", "127.0.0.2/tool.txt?token=of-the-host"]);
    // Its author reads what they wrote, and nothing that the platform made of it.
    expect(text).toContain(`ADD --checksum=sha256:${sha256} ${url} ./`);
    expect(text).not.toMatch(/svc\/|svc-owner|token=/);
  });

  it("leaves no image of what was fetched, and the next build has it from the cache", async () => {
    const files = { Dockerfile: `FROM debian:bookworm-slim\nADD http://127.0.0.2:${port}/a /a\nRUN : ${newId()}\n` };
    await owners.build(owner, files, PUBLIC);
    const { lines } = await owners.build(owner, files, PUBLIC);
    const number = lines.find((line) => line.includes("ADD http"))?.split(" ")[0];
    expect(lines).toContain(`${number} CACHED`);
    const filters = { label: [`svc.server=${builds.serverId}`, "svc.fetched=1"] };
    expect(await builds.docker.listImages({ filters })).toEqual([]);
  });

  it("is not in the context that COPY . . takes", async () => {
    const files = {
      Dockerfile: `FROM debian:bookworm-slim\nCOPY . /all\nADD http://127.0.0.2:${port}/a /a\nRUN : ${newId()}; find /all -type f\n`,
    };
    const { lines } = await owners.build(owner, files, PUBLIC);
    const found = lines.flatMap((line) => /^#\d+ (\/all.*)$/.exec(line)?.[1] ?? []);
    expect(found.toSorted()).toEqual(["/all/.svc.Dockerfile", "/all/Dockerfile"]);
  });
});
