import { open, type FileHandle } from "node:fs/promises";
import { create, fromJsonString, toJsonString } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Clock } from "@svc/shared/platform/clock.ts";
import {
  StepEventSchema,
  StepResultSchema,
  type StepEvent,
  type StepResult,
} from "@svc/shared/gen/svc/agent/v1/events_pb.ts";
import type { AppRef } from "../ports.ts";

/** A run's file: a header line, then one event a line, as JSON. An event counts once its line end is written. */
export interface RunFile {
  header: RunHeader;
  /** Up to the end of the last complete line. */
  size: number;
  lastNumber: bigint;
  /** Is undefined when the run was left without one. */
  result: StepResult | undefined;
}

export interface RunHeader {
  app: AppRef;
}

/** This is larger than the line of any result; its sentence is cut far below. */
const RESULT_LINE_BYTES_MAX = 128 * 1024;

const SCAN_BYTES = 256 * 1024;
const NEWLINE = 10;

export function formatHeader(header: RunHeader): string {
  return `${JSON.stringify(header)}\n`;
}

export function formatEvent(event: StepEvent): string {
  return `${toJsonString(StepEventSchema, event)}\n`;
}

export function parseEvent(line: string): StepEvent {
  return fromJsonString(StepEventSchema, line);
}

/** Is undefined when not even the header was written. */
export async function inspectRunFile(path: string): Promise<RunFile | undefined> {
  const file = await open(path, "r");
  try {
    const { lines, size } = await countLines(file);
    if (lines === 0) return undefined;
    const header = JSON.parse(await firstLine(file)) as RunHeader;
    return { header, size, lastNumber: BigInt(lines - 1), result: await lastResult(file, size) };
  } finally {
    await file.close();
  }
}

/** Cuts a half-written event off and gives the run `interrupted` as its last one. */
export async function endInterrupted(path: string, run: RunFile, clock: Clock): Promise<void> {
  const result = create(StepResultSchema, { outcome: { case: "interrupted", value: {} } });
  const event = create(StepEventSchema, {
    number: run.lastNumber + 1n,
    time: timestampFromDate(clock.now()),
    body: { case: "result", value: result },
  });
  const file = await open(path, "r+");
  try {
    await file.truncate(run.size);
    await file.write(formatEvent(event), run.size);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function countLines(file: FileHandle): Promise<{ lines: number; size: number }> {
  const buffer = Buffer.allocUnsafe(SCAN_BYTES);
  let [lines, size, position] = [0, 0, 0];
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return { lines, size };
    const read = buffer.subarray(0, bytesRead);
    for (let at = read.indexOf(NEWLINE); at >= 0; at = read.indexOf(NEWLINE, at + 1)) {
      lines += 1;
      size = position + at + 1;
    }
    position += bytesRead;
  }
}

async function firstLine(file: FileHandle): Promise<string> {
  const buffer = Buffer.alloc(4096);
  const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
  return buffer.toString("utf8", 0, buffer.subarray(0, bytesRead).indexOf(NEWLINE));
}

/** The last complete line, when it is a result. */
async function lastResult(file: FileHandle, size: number): Promise<StepResult | undefined> {
  const length = Math.min(size, RESULT_LINE_BYTES_MAX);
  const buffer = Buffer.alloc(length);
  await file.read(buffer, 0, length, size - length);
  const start = buffer.lastIndexOf(NEWLINE, -2) + 1;
  const line = buffer.toString("utf8", start, length - 1);
  // A longer line holds log lines and begins before the buffer; the header holds no event.
  if (start === 0 || !line.includes('"result"')) return undefined;
  const { body } = parseEvent(line);
  return body.case === "result" ? body.value : undefined;
}
