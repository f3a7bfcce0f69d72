import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { scriptCommand } from "./start-script.ts";

const command = (start: string, more: Record<string, string> = {}) => scriptCommand({ start, ...more }, "start");
const words = (...all: string[]) => ({ form: "exec", words: all });
const line = (text: string) => ({ form: "shell", line: text });

const call = (name: string, times: number) => Array.from({ length: times }, () => `npm run ${name}`).join(" && ");

describe("a start script", () => {
  it.each([
    ["node index.js", words("node", "index.js")],
    ["  node   --enable-source-maps dist/main.js ", words("node", "--enable-source-maps", "dist/main.js")],
    ["next start -p 3000", words("next", "start", "-p", "3000")],
    ["NODE_ENV=production node server.js", words("env", "NODE_ENV=production", "node", "server.js")],
    ["cross-env NODE_ENV=production node a.js", words("env", "NODE_ENV=production", "node", "a.js")],
    ["A=1 cross-env B=2 node a.js", words("env", "A=1", "B=2", "node", "a.js")],
    ["npx serve -s dist", words("serve", "-s", "dist")],
    ["npx --yes serve", words("npx", "--yes", "serve")],
    ["node 'a file.js'", words("node", "a file.js")],
    ["exec node a.js", words("node", "a.js")],
    ["A=1 exec node a.js", words("env", "A=1", "node", "a.js")],
  ])("%j becomes words without a shell", (start, expected) => expect(command(start).command).toEqual(expected));

  it.each([
    ["prisma migrate deploy && node a.js", line("prisma migrate deploy && exec node a.js")],
    ["node 'a b.js' && X=1 node c.js", line("node 'a b.js' && exec env X=1 node c.js")],
    ["node $FILE", line("node $FILE")],
    ["node b.js && exec node a.js", line("node b.js && exec node a.js")],
    ["cd server && exec node a.js", line("cd server && exec node a.js")],
    ["node a.js & node b.js", line("node a.js & node b.js")],
    ["node a.js | tee log", line("node a.js | tee log")],
    ["cd server && node a.js || exit 1", line("cd server && node a.js || exit 1")],
  ])("%j goes to a shell, which the last program replaces where that is safe", (start, expected) =>
    expect(command(start).command).toEqual(expected),
  );

  it("runs what comes before it, and the scripts that it calls", () => {
    expect(command("node a.js", { prestart: "node b.js" }).command).toEqual(line("node b.js && exec node a.js"));
    expect(command("npm run serve", { serve: "node a.js" }).command).toEqual(words("node", "a.js"));
    expect(command("yarn serve", { serve: "node a.js" }).command).toEqual(words("node", "a.js"));
    expect(command("npm run a && pnpm b", { a: "node a.js", b: "node b.js" }).command).toEqual(
      line("node a.js && exec node b.js"),
    );
    expect(command("npm run serve -w apps/web", { serve: "x" }).command).toEqual(
      words("npm", "run", "serve", "-w", "apps/web"),
    );
    expect(command("bun server.js").command).toEqual(words("bun", "server.js"));
  });

  it("ends where scripts call one another in a circle", () => {
    expect(command("npm run a", { a: "npm run b", b: "npm run a" }).command).toEqual(line("npm run a"));
    expect(command("npm start").command).toEqual(line("npm start"));
  });

  it("is left to a shell where scripts call more scripts than anybody writes", () => {
    const scripts = Object.fromEntries(["a", "b", "c", "d"].map((name, i) => [name, call("bcde"[i]!, 40)]));
    expect(command(call("a", 40), { ...scripts, e: "node a.js" }).command.form).toBe("shell");
  });

  it("names the program that stays", () => {
    expect(command("NODE_ENV=production tsx src/index.ts").program).toBe("tsx");
    expect(command("a && next start").program).toBe("next");
    expect(command("node $X").program).toBeUndefined();
  });

  it("of any text becomes a command", () => {
    const part = fc.constantFrom(
      "node a.js",
      " && ",
      "A=b ",
      "npm run start",
      "'",
      '"',
      "$",
      "|",
      "\\",
      " ",
      "cross-env ",
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const { command: start } = command(parts.join(""));
        expect(start.form === "exec" ? start.words.length : 1).toBeGreaterThan(0);
      }),
    );
  });
});
