/** The limits of an app's container on the platform, as options of `docker run`. */
export const APP_CAPS: readonly string[] = [
  "--init",
  "--cap-drop=ALL",
  "--cap-add=NET_BIND_SERVICE",
  "--memory=512m",
  "--cpus=1",
  "--security-opt=no-new-privileges",
  "--pids-limit=512",
];
