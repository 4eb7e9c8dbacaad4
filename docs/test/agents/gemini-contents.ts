import type { ModelWire, OfferedTool } from './scripted-model.ts'

interface GenerateContentRequest {
  readonly tools?: readonly { readonly functionDeclarations?: readonly OfferedTool[] }[]
  readonly contents?: readonly { readonly parts: readonly { readonly functionResponse?: object }[] }[]
}

/** `streamGenerateContent` of the Gemini API. */
export const geminiContents: ModelWire = {
  offeredTools: (request) =>
    ((request as GenerateContentRequest).tools ?? []).flatMap(
      ({ functionDeclarations = [] }) => functionDeclarations,
    ),
  toolResult(request) {
    const last = (request as GenerateContentRequest).contents?.at(-1)
    const part = last?.parts.find(({ functionResponse }) => functionResponse !== undefined)
    return part && JSON.stringify(part.functionResponse)
  },
  call: ({ name }, args) => content({ functionCall: { name, args } }),
  say: (text) => content({ text }),
}

function content(part: object): readonly object[] {
  return [{ candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }] }]
}
