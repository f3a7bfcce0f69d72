/**
 * The proxy's own name on every host: no app can have it, and its certificate always comes from the host's internal
 * authority, which every host has one of. So whoever knows the authority's root recognises this very proxy, whatever
 * other authorities do.
 */
export const PROXY_NAME = "proxy.svc.internal";
