import { SvcError } from "@svc/shared/errors.ts";
import { describeShortage, DISK_WATERMARKS, shortageOf } from "@svc/shared/rules/disk-watermarks.ts";
import { readDiskSpace } from "@svc/shared/platform/read-disk-space.ts";

/** The disk of the repositories, which is most often that of the control plane's database, too. */
export class DiskRoom {
  readonly #directory: string;
  readonly #read: typeof readDiskSpace;
  /** All that those who have room may write, whether or not they have begun to. */
  #promisedBytes = 0;

  constructor(directory: string, read = readDiskSpace) {
    this.#directory = directory;
    this.#read = read;
  }

  /**
   * Promises room for as many bytes, until the function that it resolves to is called. They have to fit above the
   * watermark together with all that is promised already.
   * @param what there is no room for, in the sentence
   * @throws SvcError disk_full
   */
  async take(bytes: number, what: string): Promise<() => void> {
    const disk = await this.#read(this.#directory);
    const availableBytes = disk.availableBytes - this.#promisedBytes - bytes;
    const shortage = shortageOf({ ...disk, availableBytes }, DISK_WATERMARKS);
    if (shortage) {
      throw new SvcError(
        "disk_full",
        `There is no room for ${what}: only ${describeShortage(disk, shortage)} on the server. Have whoever runs this ` +
          "service free space, then try again.",
      );
    }
    this.#promisedBytes += bytes;
    return () => void (this.#promisedBytes -= bytes);
  }
}
