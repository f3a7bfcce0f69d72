/** Whether an entry of a folder is taken, and how the entries below it are decided. */
export interface Selection {
  isLeftOut: boolean;
  /** Whether something in it may be taken although it is left out itself. */
  mayKeepBelow: boolean;
  /** Decides for an entry of this folder, without holding up others for long. */
  below(name: string): Promise<Selection>;
}

export const EVERYTHING: Selection = {
  isLeftOut: false,
  mayKeepBelow: true,
  below: () => Promise.resolve(EVERYTHING),
};

export const NOTHING: Selection = {
  isLeftOut: true,
  mayKeepBelow: false,
  below: () => Promise.resolve(NOTHING),
};
