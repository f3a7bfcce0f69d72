import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

type Address = ReturnType<typeof ipaddr.parse>;

/** Global unicast (RFC 4291, 2.4): all that is routed on the internet. */
const IPV6_GLOBAL = ipaddr.parseCIDR("2000::/3");

/** Well-known prefix (RFC 6052) through which hosts without IPv4 reach IPv4 addresses. */
const NAT64 = ipaddr.parseCIDR("64:ff9b::/96");

/**
 * Why an outbound call may not go to the address, in words that end a sentence ("is loopback"); undefined when it may.
 * Public unicast addresses may be reached, others only where `allowCidrs` holds them. An IPv4 address inside an IPv6
 * one (mapped, NAT64) is judged as what it leads to; other ways to wrap one (6to4, Teredo, …) are never public.
 *
 * @param address an IPv4 or IPv6 address in its usual form; anything else is forbidden
 * @param allowCidrs ranges that may be reached although they are not public; must satisfy `isCidr`
 */
export function forbiddenReason(address: string, allowCidrs: readonly string[]): string | undefined {
  // ipaddr.js also reads "127.1" and "0x7f.1"; what is not in the usual form has no business here.
  if (isIP(address) === 0) return "is not an IP address";
  const parsed = ipaddr.parse(address);
  const inner = embeddedIpv4(parsed);
  if (allowCidrs.some((cidr) => isInside(parsed, cidr) || (inner && isInside(inner, cidr)))) return undefined;
  return notPublic(inner ?? parsed);
}

/** Whether the text is a range such as 10.0.0.0/8 or fd00::/8. */
export function isCidr(text: string): boolean {
  const [address, bits, ...rest] = text.split("/");
  const version = isIP(address ?? "");
  if (rest.length > 0 || version === 0 || !/^[0-9]{1,3}$/.test(bits ?? "")) return false;
  return Number(bits) <= (version === 4 ? 32 : 128) && ipaddr.isValidCIDR(text);
}

function embeddedIpv4(address: Address): ipaddr.IPv4 | undefined {
  if (!(address instanceof ipaddr.IPv6)) return undefined;
  if (address.isIPv4MappedAddress()) return address.toIPv4Address();
  if (!address.match(NAT64)) return undefined;
  return new ipaddr.IPv4(address.toByteArray().slice(12));
}

function isInside(address: Address, cidr: string): boolean {
  const [range, bits] = ipaddr.parseCIDR(cidr);
  return range.kind() === address.kind() && address.match([range, bits]);
}

function notPublic(address: Address): string | undefined {
  const range = address.range();
  if (range !== "unicast") return `is ${NAMES[range] ?? "reserved"}`;
  if (address instanceof ipaddr.IPv6 && !address.match(IPV6_GLOBAL)) return "is reserved";
  return undefined;
}

const NAMES: Readonly<Record<string, string>> = {
  loopback: "loopback",
  private: "private",
  uniqueLocal: "private",
  linkLocal: "link-local",
  carrierGradeNat: "inside a provider's network",
  multicast: "multicast",
  broadcast: "broadcast",
  unspecified: "unspecified",
};
