// Completes package-lock.json with the packages of platforms that the registry in use does not offer, or, with
// --check, says which are missing. npm leaves such optional packages out of the lock, and `npm ci` (npm 11) then refuses
// it everywhere. What is added is never installed here: each names the system that it is for.
import { readFileSync, writeFileSync } from "node:fs";

const FILE = "package-lock.json";
const SYSTEMS = ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const PROCESSORS = [
  "arm64",
  "aarch64",
  "armv7",
  "arm",
  "ia32",
  "loong64",
  "mips64el",
  "ppc64",
  "riscv64",
  "s390x",
  "x64",
];

const lock = JSON.parse(readFileSync(FILE, "utf8"));
const missing = new Map();
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const isLocked = placesOf(path, name).some((place) => lock.packages[place]);
    if (!isLocked && /^\d+\.\d+\.\d+/.test(version))
      missing.set(`node_modules/${name}`, platformEntry(name, version, entry));
  }
}

if (process.argv.includes("--check")) {
  if (missing.size === 0) process.exit(0);
  process.stderr.write(`${FILE} lacks ${missing.size} packages of other platforms. Run: npm run lock\n`);
  process.exit(1);
}
for (const [path, entry] of missing) lock.packages[path] = entry;
const sorted = Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(FILE, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`);

/** Where npm may have put a dependency of the package at `path`: in it, or in any folder above. */
function placesOf(path, name) {
  const places = [`node_modules/${name}`];
  for (
    let at = path;
    at !== "";
    at = at.includes("/node_modules/") ? at.slice(0, at.lastIndexOf("/node_modules/")) : ""
  ) {
    places.push(`${at}/node_modules/${name}`);
  }
  return places;
}

function platformEntry(name, version, { dev }) {
  const words = name.split(/[/-]/);
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((processor) => words.includes(processor)).slice(0, 1);
  // A package for no known system would be asked for everywhere.
  if (os.length === 0) os.push("none");
  const libc = words.includes("musl") ? ["musl"] : words.includes("gnu") ? ["glibc"] : undefined;
  return {
    version,
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(dev ? { dev } : {}),
    ...(libc ? { libc } : {}),
    optional: true,
    os,
  };
}
