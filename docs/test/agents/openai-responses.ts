import type { ModelWire, OfferedTool } from './scripted-model.ts'

interface ResponsesRequest {
  readonly tools?: readonly Tool[]
  readonly input?: readonly { readonly type: string; readonly output?: unknown }[]
}

/** A tool, or a group of tools. */
interface Tool {
  readonly name?: string
  readonly tools?: readonly Tool[]
}

/** The Responses API of OpenAI, streamed. */
export const openaiResponses: ModelWire = {
  offeredTools: (request) => ((request as ResponsesRequest).tools ?? []).flatMap(toolsOf),
  toolResult(request) {
    const result = (request as ResponsesRequest).input?.find(({ type }) => type === 'function_call_output')
    return result && JSON.stringify(result.output)
  },
  call: (tool, given) =>
    response({
      type: 'function_call',
      id: 'fc_1',
      call_id: 'call_1',
      ...tool,
      arguments: JSON.stringify(given),
    }),
  say: (text) =>
    response({ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text }] }),
}

function toolsOf({ name = '', tools = [] }: Tool): readonly OfferedTool[] {
  const grouped = tools.map((tool) => ({ name: tool.name ?? '', namespace: name }))
  return [{ name }, ...grouped]
}

function response(item: object): readonly object[] {
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  return [
    { type: 'response.created', response: { id: 'resp_1' } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'resp_1', usage } },
  ]
}
