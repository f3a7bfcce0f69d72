/** Installs Debian packages in an image's layer and leaves nothing else behind. */
export function aptInstall(packages: readonly string[]): string {
  const names = packages.toSorted().join(" ");
  return `apt-get update -q && apt-get install -y -q --no-install-recommends ${names} && rm -rf /var/lib/apt/lists/*`;
}

/** The same where they are not there yet. */
export function aptEnsure(packages: readonly string[]): string {
  return `dpkg-query --status ${packages.toSorted().join(" ")} >/dev/null 2>&1 || { ${aptInstall(packages)}; }`;
}
