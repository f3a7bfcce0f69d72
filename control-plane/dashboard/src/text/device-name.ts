/** Browsers name one another: the most particular comes first. */
const PROGRAMS = [
  [/\bEdg/, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\//, "Firefox"],
  [/Chrome\//, "Chrome"],
  [/\bSafari\//, "Safari"],
] as const;

const SYSTEMS = [
  [/\b(iPhone|iPad)\b/, "iOS"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
] as const;

/** Such as `Firefox on Linux`; the text itself, cut, when it is no browser's. */
export function deviceName(userAgent: string | null): string {
  const agent = userAgent ?? "";
  const program = PROGRAMS.find(([pattern]) => pattern.test(agent))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(agent))?.[1];
  if (program === undefined) return agent.slice(0, 40) || "unknown device";
  return system === undefined ? program : `${program} on ${system}`;
}
