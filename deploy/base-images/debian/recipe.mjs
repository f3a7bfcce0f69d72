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

/** The keyring that the mirror is signed with. Hosts need not trust it for their own packages. */
const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";

/** The file system as every Debian has it today: /bin is /usr/bin. */
const MERGED_USR = "/usr/share/mmdebstrap/hooks/merged-usr";

const IMAGE_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * A minimal Debian from the host's mirror, slimmed as the official `-slim` is, that trusts what the host trusts.
 *
 * @type {import("../build.mjs").Recipe}
 */
export const recipe = {
  name: "debian:bookworm-slim",
  version: "2",
  base: undefined,
  async build(job) {
    const root = join(job.directory, "root");
    const mirrors = await debianMirrors();
    const settings = await carriedSettings();
    await bootstrap(root, mirrors, settings);
    await cp(fileURLToPath(new URL("files", import.meta.url)), root, { recursive: true });
    await writeFile(join(root, "etc/apt/apt.conf.d/20host"), settings.map((line) => `${line}\n`).join(""));
    await trustHostCertificates(root);
    await slim(root);
    await importImage(job, root, ['CMD ["bash"]', `ENV PATH=${IMAGE_PATH}`]);
  },
};

/** Returns lines of apt.conf(5). */
async function carriedSettings() {
  const values = await Promise.all(CARRIED_SETTINGS.map(aptSetting));
  return CARRIED_SETTINGS.map((key, at) => [key, values[at]])
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key} "${value}";`);
}

/**
 * @param {string} root
 * @param {import("../host-apt.mjs").DebianMirrors} mirrors
 * @param {readonly string[]} settings
 */
async function bootstrap(root, { main, security }, settings) {
  await installPackages(["mmdebstrap", "debian-archive-keyring"], "it builds a Debian base image");
  const sources = main === undefined ? [] : [`deb ${main} ${SUITE} main`, `deb ${main} ${SUITE}-updates main`];
  if (main !== undefined && security !== undefined) sources.push(`deb ${security} ${SUITE}-security main`);
  const authorities = await aptSetting("Acquire::https::CaInfo");
  const own = authorities === undefined ? [] : [`Acquire::https::CaInfo "${authorities}";`];
  const kind = ["--mode=root", "--variant=minbase", "--include=ca-certificates", `--hook-dir=${MERGED_USR}`];
  const trust = `--keyring=${KEYRING}`;
  const options = [...settings, ...own].map((line) => `--aptopt=${line}`);
  await capture(findProgram("mmdebstrap") ?? "mmdebstrap", [...kind, trust, ...options, SUITE, root, ...sources], {
    env: { ...process.env, ...(await aptProxies()) },
  });
  // Where it keeps the options: those that the image is to have are written by `build`.
  await rm(join(root, "etc/apt/apt.conf.d/99mmdebstrap"), { force: true });
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

/**
 * Removes what an image never needs: caches, logs, manuals, and what belongs to the machine that built it.
 * @param {string} root
 */
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
