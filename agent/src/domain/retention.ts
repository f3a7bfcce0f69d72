export interface KeptImage {
  digest: string;
  deployId: string;
  createdAt: Date;
}

/** How many of an app's newest images stay, so that a rollback never rebuilds (decisions: "The last 5 images"). */
export const IMAGES_KEPT = 5;

/** The images that may go: neither in use (running, previous) nor among the newest. Newest first. */
export function imagesToRemove<Image extends KeptImage>(
  images: readonly Image[],
  digestsInUse: ReadonlySet<string>,
): Image[] {
  return images
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
    .slice(IMAGES_KEPT)
    .filter((image) => !digestsInUse.has(image.digest));
}
