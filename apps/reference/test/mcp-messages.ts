/** Messages of MCP 2026-07-28 as a client sends them: every one says its protocol, and repeats it in the headers. */

const META = 'io.modelcontextprotocol'
export const META_2026: Readonly<Record<string, unknown>> = {
  [`${META}/protocolVersion`]: '2026-07-28',
  [`${META}/clientCapabilities`]: {},
}

export const JSON_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
} as const

export interface Message {
  readonly headers: Record<string, string>
  readonly body: string
}

/** @param name what `Mcp-Name` repeats: the name of a tool, or the address of a resource */
export function message2026(method: string, params: object = {}, name?: string): Message {
  return {
    headers: {
      ...JSON_HEADERS,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta: META_2026, ...params } }),
  }
}

/** The same message with other headers; `undefined` takes one away. */
export function withHeaders(message: Message, headers: Record<string, string | undefined>): Message {
  const all = Object.entries({ ...message.headers, ...headers })
  return {
    ...message,
    headers: Object.fromEntries(all.filter((line): line is [string, string] => !!line[1])),
  }
}
