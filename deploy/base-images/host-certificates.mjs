import { existsSync, readFileSync } from "node:fs";
import { capture, CommandError } from "../setup/run.mjs";
import { aptSetting } from "./host-apt.mjs";

const SYSTEM_BUNDLE = "/etc/ssl/certs/ca-certificates.crt";

/**
 * The certificate authorities that this machine trusts, its npm's and apt's further ones included, PEM each: what is
 * built on it has to reach the same mirrors.
 */
export async function hostCertificates() {
  const files = [
    SYSTEM_BUNDLE,
    process.env.NODE_EXTRA_CA_CERTS,
    await npmCaFile(),
    await aptSetting("Acquire::https::CaInfo"),
  ];
  const texts = files
    .filter((file) => file !== undefined && existsSync(file))
    .map((file) => readFileSync(String(file), "utf8"));
  return new Set(texts.flatMap(certificatesIn));
}

/**
 * @param {string} text PEM with anything around the certificates
 * @returns {string[]} one form for equal certificates
 */
export function certificatesIn(text) {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => `${block.split(/\s*\n\s*/).join("\n")}\n`);
}

async function npmCaFile() {
  try {
    const file = (await capture("npm", ["config", "get", "cafile"])).trim();
    return file === "" || file === "null" || file === "undefined" ? undefined : file;
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}
