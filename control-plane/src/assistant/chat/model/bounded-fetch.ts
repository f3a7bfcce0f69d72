/** A hundred times what an answer needs. */
const BYTES_MAX = 2 * 1024 * 1024;

/** Follows no redirect, which would take the key elsewhere, and ends an answer that goes on and on. */
export const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: "error" });
  let bytes = 0;
  const bound = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > BYTES_MAX) controller.error(new Error(`the model's answer has more than ${BYTES_MAX} bytes`));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body?.pipeThrough(bound) ?? null, response);
};
