/** Where people go when nothing else is asked for. */
const START = "/";
/** As it is sent, where a character may be twelve: proxies refuse answers with longer headers. */
const LENGTH_MAX = 2_000;

/** The path to go to after a sign-in: a path on this service. A link that would lead elsewhere leads to the start. */
export function ownPath(wanted: string | undefined): string {
  // Browsers read a backslash as a slash, and drop tabs and line ends.
  if (wanted === undefined || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(wanted)) return START;
  const own = "https://own.invalid";
  const url = URL.parse(wanted, own);
  // Dots can be resolved to a second slash: "/.//elsewhere.example".
  if (url?.origin !== own || url.pathname.startsWith("//")) return START;
  const path = `${url.pathname}${url.search}${url.hash}`;
  return path.length <= LENGTH_MAX ? path : START;
}
