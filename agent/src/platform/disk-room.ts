import { DISK_WATERMARKS, type DiskWatermarks } from "@svc/shared/rules/disk-watermarks.ts";
import { diskShortage } from "./disk-shortage.ts";
import type { Host } from "../ports.ts";

/** A fast line, or a fast disk, brings less than the watermark leaves in that time. */
const LOOK_MS = 500;

export interface DiskRoomOptions {
  host: Pick<Host, "disk">;
  /** The work writes there. */
  directory: string;
  /** Names what there is no room for, in the sentence. */
  what: string;
  signal?: AbortSignal;
  watermarks?: DiskWatermarks;
}

/**
 * Does what writes into the directory as long as its disk has room: it is not begun on a disk that is nearly full, and is
 * ended through its signal when the disk becomes so.
 * @throws SvcError disk_full
 */
export async function withinDiskRoom<T>(
  { host, directory, what, signal, watermarks = DISK_WATERMARKS }: DiskRoomOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const look = async (): Promise<void> => {
    const shortage = await diskShortage(host, directory, watermarks, what);
    if (shortage) controller.abort(shortage);
  };
  await look();
  controller.signal.throwIfAborted();
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_MS);
  try {
    return await work(signal ? AbortSignal.any([signal, controller.signal]) : controller.signal);
  } catch (error) {
    // The work's own error tells less than why it was ended.
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    clearInterval(timer);
  }
}
