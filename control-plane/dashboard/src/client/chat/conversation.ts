import type { components } from "svc-cli/gen/api.ts";

type Schemas = components["schemas"];

export type Conversation = Schemas["Conversation"];
export type Message = Schemas["Message"];
export type Part = Schemas["MessagePart"];
export type Card = Schemas["Card"];
export type ChatState = Schemas["Chat"];
