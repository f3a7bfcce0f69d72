// Says whether shared/src/gen is what the .proto files give, and cli/src/gen what the API's description gives. Run by
// `npm run check`.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const fresh = mkdtempSync(join(tmpdir(), "svc-generated-"));
try {
  execFileSync("buf", ["generate", "--template", "proto/buf.gen.yaml", "--output", fresh], { stdio: "inherit" });
  const files = (root) => readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const read = (root) =>
    new Map(
      files(root).map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [path.slice(root.length), readFileSync(path, "utf8")];
      }),
    );
  const [want, have] = [read(join(fresh, "shared/src/gen")), read("shared/src/gen")];
  const stale = [...new Set([...want.keys(), ...have.keys()])].filter((path) => want.get(path) !== have.get(path));
  if (stale.length > 0) {
    process.stderr.write(`shared/src/gen is not what proto/ gives: ${stale.join(", ")}\nRun: npm run proto\n`);
    process.exit(1);
  }
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

execFileSync("node", ["test/support/api/write-client-types.ts", "--check"], { stdio: "inherit" });
