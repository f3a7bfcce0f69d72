import { blocksOf, type Block, type Span } from "../../text/chat/blocks.ts";

/** Words that a model, an app or another person wrote: text, whatever markup stands in it. */
export function AnswerText({ text }: { text: string }) {
  return (
    <>
      {blocksOf(text).map((block, at) => (
        <Shown key={at} block={block} />
      ))}
    </>
  );
}

function Shown({ block }: { block: Block }) {
  if (block.kind === "code") {
    return (
      <pre tabIndex={0} aria-label="Code">
        {block.text}
      </pre>
    );
  }
  if (block.kind === "paragraph") {
    return (
      <p class="words">
        <Spans of={block.spans} />
      </p>
    );
  }
  const items = block.items.map((spans, at) => (
    <li key={at} class="words">
      <Spans of={spans} />
    </li>
  ));
  return block.first === undefined ? <ul>{items}</ul> : <ol start={block.first}>{items}</ol>;
}

function Spans({ of: spans }: { of: readonly Span[] }) {
  return spans.map((span, at) => {
    if (span.kind === "link") {
      return (
        <a key={at} href={span.path}>
          {span.text}
        </a>
      );
    }
    if (span.kind === "strong") return <strong key={at}>{span.text}</strong>;
    return span.kind === "code" ? <code key={at}>{span.text}</code> : span.text;
  });
}
