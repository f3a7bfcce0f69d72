export type ServerState = "joining" | "active" | "draining" | "removed";
