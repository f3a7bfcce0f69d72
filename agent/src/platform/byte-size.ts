/** Writes what is promised or left: rounded down. */
export function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / 1024 ** 2)} MiB`;
}

/** Writes a limit or what is used, in the unit that reads best. */
export function formatBytes(bytes: number): string {
  const gib = bytes / 1024 ** 3;
  return gib >= 1 ? `${Number(gib.toFixed(2))} GiB` : `${Math.ceil(bytes / 1024 ** 2)} MiB`;
}
