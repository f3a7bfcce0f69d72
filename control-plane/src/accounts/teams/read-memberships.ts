import { selectMemberships } from "./team-members.store.ts";

/** All teams that the person is in, with the role there. */
export const readMemberships = selectMemberships;
