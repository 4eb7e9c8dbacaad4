import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** A call of a tool that a model asks for, by the name that the MCP server gave the tool. */
interface ToolCall {
  readonly tool: string
  readonly arguments: Readonly<Record<string, string>>
}

/** A tool as an agent offers it: its name, or the name of its group, begins with the name of the MCP server. */
export interface OfferedTool {
  readonly name: string
  readonly namespace?: string
}

/** The messages of a maker's models, as far as an agent needs them to call one tool. */
export interface ModelWire {
  offeredTools(request: unknown): readonly OfferedTool[]
  /** The result of the tool, if the last message of a request has it. */
  toolResult(request: unknown): string | undefined
  /** An answer that asks for the call of a tool. */
  call(tool: OfferedTool, given: ToolCall['arguments']): readonly object[]
  /** An answer of words. */
  say(text: string): readonly object[]
}

export interface ScriptedModel {
  readonly url: string
  /** What it asks for when it is offered that tool. */
  wants: ToolCall | undefined
  close(): Promise<void>
}

/** Stands for a model in its maker's cloud: asks for the tool that the test names, and repeats what it answered. */
export async function startScriptedModel(wire: ModelWire): Promise<ScriptedModel> {
  const server = createServer(async (request, response) => {
    send(response, answer(wire, model.wants, await bodyOf(request)))
  })
  // As a proxy it rejects everything: no request of an agent leaves the machine.
  server.on('connect', (_, socket) => {
    socket.on('error', () => {})
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const model: ScriptedModel = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    wants: undefined,
    close: () => new Promise((closed) => void server.close(() => closed()).closeAllConnections()),
  }
  return model
}

function answer(wire: ModelWire, wants: ToolCall | undefined, request: unknown): readonly object[] {
  const result = wire.toolResult(request)
  if (result !== undefined) return wire.say(`The tool answered: ${result}`)
  const tool = wire.offeredTools(request).find(({ name }) => name.endsWith(wants?.tool ?? '\0'))
  return tool === undefined || wants === undefined ? wire.say('Hello') : wire.call(tool, wants.arguments)
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  return request.method === 'POST' ? json(request).catch(() => ({})) : {}
}

/** As server-sent events. The events of Anthropic and OpenAI repeat the type of the event in its name. */
function send(response: ServerResponse, events: readonly object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of events) {
    if ('type' in event) response.write(`event: ${event.type}\n`)
    response.write(`data: ${JSON.stringify(event)}\n\n`)
  }
  response.end()
}
