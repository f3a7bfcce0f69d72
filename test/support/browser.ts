import { createHash, X509Certificate } from "node:crypto";
import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";

const BROWSERS = ["/usr/bin/chromium", "/usr/bin/google-chrome"];

/**
 * Debian's Chromium, without a window. Every name leads to loopback, so that nothing else is reached; of certificates it
 * trusts those that come with the given one in their chain, and complains about all others.
 */
export function startBrowser({ trusted }: { trusted: string }): Promise<Browser> {
  const { publicKey } = new X509Certificate(trusted);
  const pin = createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("base64");
  return chromium.launch({
    executablePath: BROWSERS.find((path) => existsSync(path)) ?? BROWSERS[0]!,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--host-resolver-rules=MAP * 127.0.0.1",
      `--ignore-certificate-errors-spki-list=${pin}`,
    ],
  });
}
