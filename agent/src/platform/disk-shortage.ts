import { describeShortage, shortageOf, type DiskWatermarks } from "@svc/shared/rules/disk-watermarks.ts";
import { SvcError } from "@svc/shared/errors.ts";
import type { Host } from "../ports.ts";

/** Returns why nothing may be written there (any more); undefined while there is room. */
export async function diskShortage(
  host: Pick<Host, "disk">,
  directory: string,
  watermarks: DiskWatermarks,
  what = "the build",
): Promise<SvcError | undefined> {
  const disk = await host.disk(directory);
  const shortage = shortageOf(disk, watermarks);
  if (!shortage) return undefined;
  return new SvcError(
    "disk_full",
    `There is no room for ${what}: only ${describeShortage(disk, shortage)} on the server. Remove apps that are not needed, ` +
      "or have whoever runs this service free space, then deploy again.",
  );
}
