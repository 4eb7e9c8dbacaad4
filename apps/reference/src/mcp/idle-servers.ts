import type { McpServer } from '@modelcontextprotocol/server'

/** Servers that wait for a request. An MCP server has one request at a time, and building one takes longer than a request. */
export interface IdleServers {
  /** A server without a connection. */
  take(): McpServer
  /** @param server has answered its request, and is closed */
  giveBack(server: McpServer): void
}

/** As many as requests run at once on a busy service. A server takes 43 KB. */
const MAX_IDLE = 32

export function idleServers(create: () => McpServer): IdleServers {
  const idle: McpServer[] = []
  return {
    take: () => idle.pop() ?? create(),
    giveBack(server) {
      if (idle.length < MAX_IDLE) idle.push(server)
    },
  }
}
