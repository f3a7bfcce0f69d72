/** The comment on the firewall's rules with which agents bound how many connections an app opens in a second. */
export const CONNECTION_RATE_COMMENT = "svc-connection-rate";
