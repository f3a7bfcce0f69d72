import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installPackages } from "../../setup/apt.mjs";
import { capture, findProgram } from "../../setup/run.mjs";
import { aptProxies, aptSetting, debianMirrors } from "../host-apt.mjs";
import { certificatesIn, hostCertificates } from "../host-certificates.mjs";
import { importImage } from "../image.mjs";

const SUITE = "bookworm";

/** Settings of the host's apt that concern the mirror itself, and so everything that fetches from it. */
const CARRIED_SETTINGS = ["Acquire::Check-Valid-Until", "Acquire::Check-Date"];

const IMAGE_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** A minimal Debian from the host's mirror, slimmed as the official `-slim` is, that trusts what the host trusts. */
/** @type {import("../build.mjs").Recipe} */
export const recipe = {
  name: "debian:bookworm-slim",
  version: "1",
  base: undefined,
  async build(job) {
    const root = join(job.directory, "root");
    const mirrors = await debianMirrors();
    await bootstrap(root, mirrors);
    await cp(fileURLToPath(new URL("files", import.meta.url)), root, { recursive: true });
    await writeAptSettings(root, mirrors);
    await trustHostCertificates(root);
    await slim(root);
    await importImage(job, root, ['CMD ["bash"]', `ENV PATH=${IMAGE_PATH}`]);
  },
};

/**
 * @param {string} root
 * @param {import("../host-apt.mjs").DebianMirrors} mirrors
 */
async function bootstrap(root, mirrors) {
  // Debian's keys come with debootstrap only where the host is no Debian itself.
  await installPackages(["debootstrap", "debian-archive-keyring"], "it builds a Debian base image");
  const mirror = mirrors.main === undefined ? [] : [mirrors.main];
  await capture(
    findProgram("debootstrap") ?? "debootstrap",
    ["--variant=minbase", "--include=ca-certificates", SUITE, root, ...mirror],
    {
      env: { ...process.env, ...(await aptProxies()) },
    },
  );
}

/**
 * @param {string} root
 * @param {import("../host-apt.mjs").DebianMirrors} mirrors
 */
async function writeAptSettings(root, { main, security }) {
  if (main !== undefined) {
    const lines = [`deb ${main} ${SUITE} main`, `deb ${main} ${SUITE}-updates main`];
    if (security !== undefined) lines.push(`deb ${security} ${SUITE}-security main`);
    await writeFile(join(root, "etc/apt/sources.list"), `${lines.join("\n")}\n`);
  }
  let settings = "";
  for (const key of CARRIED_SETTINGS) {
    const value = await aptSetting(key);
    if (value !== undefined) settings += `${key} "${value}";\n`;
  }
  if (settings !== "") await writeFile(join(root, "etc/apt/apt.conf.d/20host"), settings);
}

/** @param {string} root */
async function trustHostCertificates(root) {
  const known = new Set(certificatesIn(await readFile(join(root, "etc/ssl/certs/ca-certificates.crt"), "utf8")));
  const further = [...(await hostCertificates())].filter((certificate) => !known.has(certificate));
  if (further.length === 0) return;
  const folder = join(root, "usr/local/share/ca-certificates");
  await mkdir(folder, { recursive: true });
  for (const [index, certificate] of further.entries())
    await writeFile(join(folder, `host-${index + 1}.crt`), certificate);
  await capture(findProgram("chroot") ?? "chroot", [root, "update-ca-certificates"], { env: { PATH: IMAGE_PATH } });
}

/** What an image never needs: caches, logs, manuals, and what belongs to the machine that built it. @param {string} root */
async function slim(root) {
  const emptied = [
    "var/lib/apt/lists",
    "var/cache/apt",
    "var/cache/debconf",
    "var/log",
    "usr/share/man",
    "usr/share/info",
    "usr/share/locale",
  ];
  for (const folder of emptied) {
    await rm(join(root, folder), { recursive: true, force: true });
    await mkdir(join(root, folder), { recursive: true });
  }
  await mkdir(join(root, "var/lib/apt/lists/partial"));
  await mkdir(join(root, "var/cache/apt/archives/partial"), { recursive: true });
  // Licences stay, as in the official image.
  await capture("find", [join(root, "usr/share/doc"), "-type", "f", "!", "-name", "copyright", "-delete"]);
  await writeFile(join(root, "etc/resolv.conf"), "");
  await writeFile(join(root, "etc/hostname"), "");
}
