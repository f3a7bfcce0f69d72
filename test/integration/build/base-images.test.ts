import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type Docker from "dockerode";
import { afterAll, describe, expect, it } from "vitest";
import { PYTHON_WHEELS } from "@svc/shared/frameworks/base-images.ts";
import { connectDocker } from "@svc/agent/engine/connection.ts";
import { eventually } from "../../support/tools/eventually.ts";

const docker = connectDocker(process.env["DOCKER_HOST"]);
const LABEL = `svc.test-${randomBytes(6).toString("hex")}`;
const LOCKED_DOWN: Docker.HostConfig = { CapDrop: ["ALL"], SecurityOpt: ["no-new-privileges"], Init: true };

const WITHOUT_NETWORK: Docker.HostConfig = { ...LOCKED_DOWN, NetworkMode: "none" };

afterAll(removeContainers);

async function removeContainers(): Promise<void> {
  const left = await docker.listContainers({ all: true, filters: { label: [LABEL] } });
  for (const { Id } of left) await docker.getContainer(Id).remove({ force: true, v: true });
}

interface Run {
  image: string;
  user?: string;
  host?: Docker.HostConfig;
}

/** Returns what the command prints, standard error included, and its exit status. */
async function runIn({ image, user, host }: Run, ...command: string[]): Promise<{ status: number; output: string }> {
  const container = await docker.createContainer({
    Image: image,
    Cmd: command,
    User: user,
    Tty: true,
    Labels: { [LABEL]: "" },
    HostConfig: host ?? LOCKED_DOWN,
  });
  await container.start();
  const { StatusCode: status } = (await container.wait()) as { StatusCode: number };
  const output = (await container.logs({ stdout: true, stderr: true })).toString();
  await container.remove({ force: true, v: true });
  return { status, output };
}

describe("the base images", () => {
  it("Node.js and npm run as the user node, with all capabilities dropped", async () => {
    const { status, output } = await runIn(
      { image: "node:22-slim", user: "node" },
      "sh",
      "-c",
      "id -u; node -v; npm -v; npx -v",
    );
    expect({ status, output }).toMatchObject({
      status: 0,
      output: expect.stringMatching(/^1000\s+v22\.[^]*\d+\.\d+\.\d+/),
    });
  });

  it("arguments of the Node.js image that are no command are Node.js's own", async () => {
    const { output } = await runIn({ image: "node:22-slim" }, "-e", "process.stdout.write('started')");
    expect(output.trim()).toBe("started");
  });

  it("Caddy runs as any user, with all capabilities dropped", async () => {
    const { status, output } = await runIn({ image: "caddy:2", user: "1000:1000" }, "caddy", "version");
    expect({ status, output }).toMatchObject({ status: 0, output: expect.stringMatching(/2\.\d+\.\d+/) });
  });

  it("Debian fetches packages and keeps no archive of them", async () => {
    const script =
      "apt-get update -q >/dev/null && apt-get install -y -q netbase >/dev/null 2>&1 && find /var/cache/apt -name '*.deb'";
    const host = { NetworkMode: "host" };
    expect(await runIn({ image: "debian:bookworm-slim", host }, "sh", "-c", script)).toMatchObject({
      status: 0,
      output: "",
    });
  });
});

describe("the images of further languages", () => {
  const shell = (image: string, script: string) => runIn({ image, host: WITHOUT_NETWORK }, "sh", "-ec", script);

  it("Python installs the frameworks' wheels, and all that they need, with no network", async () => {
    const frameworks = "fastapi 'uvicorn[standard]' gunicorn flask django whitenoise";
    const script =
      "python -m venv --without-pip /tmp/venv; " +
      `pip --python /tmp/venv/bin/python install -q ${frameworks}; ` +
      "/tmp/venv/bin/python -c 'import fastapi, uvicorn, uvloop, httptools, flask, django, whitenoise'; " +
      "/tmp/venv/bin/gunicorn --version; python -c 'import sys; print(sys.prefix)'";
    const { status, output } = await shell("python:3.11-slim", script);
    expect({ status, output }).toMatchObject({ status: 0, output: expect.stringMatching(/gunicorn.*\s+\/usr\/local/) });
  });

  it("Python has a wheel of each package that failed builds name, and pip says where it looks", async () => {
    const { folder, packages } = PYTHON_WHEELS;
    const script = `python -m venv --without-pip /tmp/venv; pip --python /tmp/venv/bin/python install ${packages.join(" ")}`;
    const { status, output } = await shell("python:3.11-slim", script);
    expect({ status, output }).toMatchObject({
      status: 0,
      output: expect.stringContaining(`Looking in links: ${folder}\r\n`),
    });
  });

  it("Go and Rust build a program with no network", async () => {
    const go = "cd /tmp; printf 'package main\nfunc main() { println(6 * 7) }' >main.go; CGO_ENABLED=0 go run main.go";
    expect(await shell("golang:1-bookworm", go)).toMatchObject({ status: 0, output: expect.stringContaining("42") });
    const rust = `cd /tmp; cargo init -q --name a --vcs none; echo 'fn main() { println!("{}", 6 * 7) }' >src/main.rs; cargo run -q --release`;
    expect(await shell("rust:1-bookworm", rust)).toMatchObject({ status: 0, output: expect.stringContaining("42") });
  });

  it("Ruby installs the gems of Rails, with no network", async () => {
    const script =
      `cd /tmp; printf "source 'https://rubygems.org'\ngem 'rails'\ngem 'puma'\n" >Gemfile; ` +
      "bundle install --quiet; bundle exec rails --version";
    const { status, output } = await shell("ruby:3.1-slim", script);
    expect({ status, output }).toMatchObject({ status: 0, output: expect.stringMatching(/Rails \d/) });
  });
});

describe("the PostgreSQL image", () => {
  const user = "us-er";
  const database = 'a "quoted" $name';
  const password = `p'a"s$s \\w`;

  it("makes its cluster once, for the user, password and database asked for, with few capabilities", async () => {
    const container = await docker.createContainer({
      Image: "postgres:16",
      Env: [`POSTGRES_USER=${user}`, `POSTGRES_PASSWORD=${password}`, `POSTGRES_DB=${database}`],
      Labels: { [LABEL]: "" },
      HostConfig: { ...LOCKED_DOWN, CapAdd: ["CHOWN", "SETUID", "SETGID", "DAC_OVERRIDE", "FOWNER"] },
    });
    await container.start();
    await ready(container);
    const psql = ["psql", "-w", "-U", user, "-d", database, "-tAc"];
    // The local socket is trusted, the network is not.
    expect(await exec(container, [], ...psql, "CREATE TABLE kept (n int); SELECT current_user")).toContain(user);
    const overNetwork = ["sh", "-c", 'exec "$@" -h "$(hostname -i)"', "sh", ...psql, "SELECT 41 + 1"];
    expect(await exec(container, [`PGPASSWORD=${password}`], ...overNetwork)).toContain("42");
    expect(await exec(container, ["PGPASSWORD=wrong"], ...overNetwork)).toContain("password authentication failed");
    // The password is in no process's environment once the server runs.
    expect(
      await exec(container, [], "sh", "-c", "tr '\\0' '\\n' </proc/$(head -1 $PGDATA/postmaster.pid)/environ"),
    ).not.toContain("p'a");

    await container.restart({ t: 10 });
    await ready(container);
    expect(await exec(container, [], ...psql, "SELECT count(*) + 7 FROM kept")).toContain("7");
  });

  it("starts over when it was killed while it made its cluster", async () => {
    const volume = `${LABEL}-cluster`;
    await docker.createVolume({ Name: volume });
    try {
      const host = {
        ...LOCKED_DOWN,
        CapAdd: ["CHOWN", "SETUID", "SETGID", "DAC_OVERRIDE", "FOWNER"],
        Binds: [`${volume}:/var/lib/postgresql/data`],
      };
      const half = "mkdir -p $PGDATA/.unfinished/base && touch $PGDATA/pg_hba.conf";
      await runIn({ image: "postgres:16", host }, "bash", "-c", half);
      const container = await docker.createContainer({
        Image: "postgres:16",
        Env: ["POSTGRES_PASSWORD=secret"],
        Labels: { [LABEL]: "" },
        HostConfig: host,
      });
      await container.start();
      await ready(container);
      expect(await exec(container, [], "psql", "-U", "postgres", "-tAc", "SELECT 'whole'")).toContain("whole");
    } finally {
      await removeContainers();
      await docker.getVolume(volume).remove();
    }
  });

  it("says what is missing when it has no password", async () => {
    const host = { CapDrop: ["ALL"], CapAdd: ["CHOWN", "SETUID", "SETGID", "DAC_OVERRIDE", "FOWNER"] };
    const { status, output } = await runIn({ image: "postgres:16", host }, "postgres");
    expect(status).not.toBe(0);
    expect(output).toMatch(/POSTGRES_PASSWORD/);
  });

  async function ready(container: Docker.Container): Promise<void> {
    await eventually(
      () => exec(container, [], "pg_isready", "-h", "127.0.0.1"),
      (answer) => answer.includes("accepting connections"),
      { what: "PostgreSQL accepts connections", deadlineMs: 30_000 },
    );
  }
});

describe("a recipe", () => {
  it("builds its image under any name, from this machine's mirrors, and labels it", async () => {
    const tag = `${LABEL}/caddy:2`;
    const program = fileURLToPath(new URL("../../../deploy/base-images/build.mjs", import.meta.url));
    await promisify(execFile)(process.execPath, [program, "caddy", "--as", tag]);
    try {
      const { Config } = await docker.getImage(tag).inspect();
      expect(Config.Labels["svc.base-image"]).toMatch(/^\d+$/);
      expect((await runIn({ image: tag, user: "1000:1000" }, "caddy", "version")).status).toBe(0);
    } finally {
      await docker.getImage(tag).remove({ force: true });
    }
  });
});

/** Both outputs of a command. A terminal is asked for, so that they come in one plain stream. */
async function exec(container: Docker.Container, env: string[], ...command: string[]): Promise<string> {
  const run = await container.exec({
    Cmd: command,
    Env: ["PAGER=cat", ...env],
    AttachStdout: true,
    AttachStderr: true,
    Tty: true,
  });
  const stream = await run.start({ Tty: true });
  let output = "";
  for await (const chunk of stream) output += String(chunk);
  return output;
}
