/** Begins each line of an app's log that the platform wrote. */
export const PLATFORM_MARK = "[platform]";

/** Begins what the log says after the mark when the app's container has ended; `svc` looks for it after a deploy. */
export const APP_ENDED = "The app ended";
