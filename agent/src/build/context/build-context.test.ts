import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setImmediate } from "node:timers/promises";
import { extract } from "tar-stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WRITTEN_DOCKERFILE, packContext } from "./build-context.ts";

const never = new AbortController().signal;
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "svc-context-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function put(path: string, content: string | Buffer = "x"): Promise<void> {
  await mkdir(dirname(join(directory, path)), { recursive: true });
  await writeFile(join(directory, path), content);
}

interface Entry {
  type: string;
  mode: number;
  linkname: string;
  size: number;
  text: string;
}

async function unpack(
  dockerfile: { text: string; path?: string } = { text: "FROM x", path: "Dockerfile" },
): Promise<Record<string, Entry>> {
  const entries: Record<string, Entry> = {};
  for await (const source of packContext(directory, dockerfile, never).stream.pipe(extract())) {
    const chunks: Buffer[] = [];
    for await (const chunk of source) chunks.push(chunk as Buffer);
    const { name, type, mode, linkname, size } = source.header;
    entries[name] = { type, mode, linkname, size, text: Buffer.concat(chunks).toString() };
  }
  return entries;
}

describe("the build context", () => {
  it("holds names that are no UTF-8 as they are", async () => {
    const bytes = (text: string) => Buffer.from(`${directory}/${text}`, "latin1");
    await mkdir(bytes("d\xe9"));
    await writeFile(bytes("d\xe9/caf\xe9.txt"), "coffee");
    await symlink(Buffer.from("d\xe9/caf\xe9.txt", "latin1"), bytes("l\xe9"));
    await put("plain.txt");
    const { stream } = packContext(directory, { text: "FROM x" }, never);
    const text = (await buffer(stream)).toString("latin1");
    for (const record of ["11 path=d\xe9\n", "20 path=d\xe9/caf\xe9.txt\n", "24 linkpath=d\xe9/caf\xe9.txt\n"]) {
      expect(text).toContain(record);
    }
    expect(text).toContain("coffee");
  });

  it("holds files with their modes, links as links, and no .git", async () => {
    await put("a/b.txt", "b");
    await put(".git/config");
    await put("a/.git/config");
    await put("run.sh");
    await chmod(join(directory, "run.sh"), 0o700);
    await symlink("/etc/passwd", join(directory, "link"));
    const entries = await unpack();
    expect(Object.keys(entries)).toEqual([
      WRITTEN_DOCKERFILE,
      "a",
      "a/.git",
      "a/.git/config",
      "a/b.txt",
      "link",
      "run.sh",
    ]);
    expect(entries["a/b.txt"]).toMatchObject({ mode: 0o644, text: "b" });
    expect(entries["run.sh"]?.mode).toBe(0o755);
    expect(entries["link"]).toMatchObject({ type: "symlink", linkname: "/etc/passwd", text: "" });
  });

  it("holds the Dockerfile that is built, which the checkout does not", async () => {
    await put("index.html");
    await put(WRITTEN_DOCKERFILE, "the repository's");
    const entries = await unpack({ text: "FROM x" });
    expect(entries[WRITTEN_DOCKERFILE]?.text).toBe("FROM x");
  });

  it("holds nothing of a folder that is named like it, even where a rule keeps all", async () => {
    await put(`${WRITTEN_DOCKERFILE}/a`);
    await put(".dockerignore", "*\n!*\n");
    expect(Object.keys(await unpack())).toEqual([WRITTEN_DOCKERFILE, ".dockerignore"]);
  });

  it("leaves out what .dockerignore names, the repository's Dockerfile too, but never the one that is built", async () => {
    await put(".dockerignore", "*\n!kept\nkept/secret\n");
    await put("Dockerfile");
    await put("a/b");
    await put("kept/c");
    await put("kept/secret");
    expect(Object.keys(await unpack()).toSorted()).toEqual([WRITTEN_DOCKERFILE, "kept", "kept/c"]);
  });

  it("prefers the ignore file of the Dockerfile", async () => {
    await put(".dockerignore", "a\n");
    await put("Dockerfile.dockerignore", "b\n");
    await put("a");
    await put("b");
    expect(Object.keys(await unpack())).toContain("a");
  });

  it("carries large files and long names whole", async () => {
    const long = `${"d".repeat(120)}/${"é".repeat(100)}`;
    await put(long, Buffer.alloc(3_000_001, "z"));
    await put("empty", "");
    const entries = await unpack();
    expect(entries[long]?.text.length).toBe(3_000_001);
    expect(entries["empty"]?.size).toBe(0);
  });

  it("ends with an error, not without an end, when a file cannot be read", async () => {
    await rm(directory, { recursive: true });
    await expect(packContext(directory, { text: "FROM scratch" }, never).stream.toArray()).rejects.toThrow("ENOENT");
  });

  it("ends with an error when a file is not as long as it was said to be", async () => {
    // The kernel says 0 bytes of its files, and then gives some.
    const { stream } = packContext("/proc/sys/kernel/random", { text: "FROM scratch" }, never);
    await expect(stream.toArray()).rejects.toThrow("Size mismatch");
  });

  it("stops when the build is canceled", async () => {
    await writeFile(join(directory, "a"), "a");
    const reason = new Error("canceled");
    const { stream } = packContext(directory, { text: "FROM scratch" }, AbortSignal.abort(reason));
    await expect(stream.toArray()).rejects.toBe(reason);
  });

  it("can be destroyed at any moment, and nothing is thrown where nobody catches it", async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on("unhandledRejection", note);
    await put("a", "a");
    await put("b", Buffer.alloc(256 * 1024));
    for (let turns = 0; turns < 60; turns++) {
      const { stream } = packContext(directory, { text: "FROM scratch" }, never);
      stream.resume();
      for (let turn = 0; turn < turns; turn++) await setImmediate();
      stream.destroy();
      if (!stream.closed) await once(stream, "close");
    }
    // Rejections that nobody handles are told of after the turn that they come in.
    for (let turn = 0; turn < 10; turn++) await setImmediate();
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });
});
