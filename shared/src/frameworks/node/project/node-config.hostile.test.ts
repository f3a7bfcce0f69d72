import { expect, it } from "vitest";
import { readNodeConfig } from "./node-config.ts";

const rounds = (text: string): string => text.repeat(Math.floor((250 * 1024) / text.length));
const nested = (open: string, close: string, count: number): string => open.repeat(count) + close.repeat(count);
it.each([
  "(",
  "[",
  "{",
  "a?(b):",
  "<T>(",
  "f<T>(",
  "<T>(a=",
  "a<",
  "(a=",
  "async(a=",
  "`${",
  "/*",
  '"',
  "a\n",
  "+1",
  "a={a:",
  "a=1;",
  "const a=b;",
  "export default ",
  "()=>",
  "...a,",
  "a.b.",
  "a.output=1;",
  "withA(",
  "import a from 'a';",
])(
  "a configuration file is read within two seconds when it is full of %j",
  (piece) => {
    expect(secondsFor(rounds(piece))).toBeLessThan(2);
    expect(secondsFor(`export default ${rounds(piece)}`)).toBeLessThan(2);
  },
  20_000,
);

it.each([
  ["arrays", `export default ${nested("[", "]", 100_000)}`],
  ["objects", `export default ${nested("{output:", "}", 25_000).replace("}", "1}")}`],
  ["calls", `export default ${nested("a(", ")", 80_000)}`],
  ["brackets", `export default ${nested("(", ")", 100_000).replace("()", "(1)")}`],
  ["functions", `export default ${"()=>".repeat(60_000)}1`],
  ["patterns", `const ${nested("[", "]", 100_000)} = a; export default a`],
  ["members", `export default { output: a${".a".repeat(100_000)} }`],
  ["spreads of one object", `const a = {${"b:1,".repeat(20_000)}}; export default {${"...a,".repeat(20_000)}}`],
  [
    "objects that contain one another",
    `${Array.from({ length: 60 }, (_one, i) => `const a${i} = {...a${i + 1},...a${i + 1}};`).join("")} export default a0`,
  ],
  ["variables", `${Array.from({ length: 9000 }, (_one, i) => `const a${i} = a${i + 1};`).join("")} export default a0`],
  ["a function that calls itself", "function f() { return f() } export default f()"],
])(
  "a configuration file is read within two seconds when it is made of many %s",
  (_what, text) => {
    expect(text.length).toBeLessThan(256 * 1024);
    expect(secondsFor(text)).toBeLessThan(2);
  },
  20_000,
);

/** Measures processor time, so that other processes do not count. */
function secondsFor(text: string): number {
  const startedAt = process.cpuUsage();
  readNodeConfig(text).setting(["output"]);
  const { user, system } = process.cpuUsage(startedAt);
  return (user + system) / 1e6;
}
