/** Proxies close connections that are silent for half a minute or longer; a page takes one that is silent for twice as long and a half for dead. */
export const HEARTBEAT_MS = 10_000;

/** An event, since a browser tells its page nothing of comments. */
export const STILL_HERE = "event: still_here\ndata: {}\n\n";
