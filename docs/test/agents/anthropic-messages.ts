import type { ModelWire, OfferedTool } from './scripted-model.ts'

interface MessagesRequest {
  readonly tools?: readonly OfferedTool[]
  readonly messages?: readonly { readonly content: string | readonly Block[] }[]
}

interface Block {
  readonly type: string
  readonly content?: string | readonly { readonly text?: string }[]
}

/** The Messages API of Anthropic, streamed. */
export const anthropicMessages: ModelWire = {
  offeredTools: (request) => (request as MessagesRequest).tools ?? [],
  toolResult(request) {
    const content = (request as MessagesRequest).messages?.at(-1)?.content
    const block =
      typeof content === 'string' ? undefined : content?.find(({ type }) => type === 'tool_result')
    return block && (typeof block.content === 'string' ? block.content : JSON.stringify(block.content))
  },
  call: ({ name }, given) =>
    message(
      'tool_use',
      { type: 'tool_use', id: 'toolu_1', name, input: {} },
      {
        type: 'input_json_delta',
        partial_json: JSON.stringify(given),
      },
    ),
  say: (text) => message('end_turn', { type: 'text', text: '' }, { type: 'text_delta', text }),
}

function message(stop_reason: string, content_block: object, delta: object): readonly object[] {
  const usage = { input_tokens: 1, output_tokens: 1 }
  const empty = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: [],
    stop_reason: null,
  }
  return [
    { type: 'message_start', message: { ...empty, stop_sequence: null, usage } },
    { type: 'content_block_start', index: 0, content_block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]
}
