import type { ResourceServer } from '@grantkit/core'
import type { createMcpHandler } from '@modelcontextprotocol/server'

export declare const api: ResourceServer<'notes:read' | 'notes:write'>
export declare const mcp: ReturnType<typeof createMcpHandler>
export declare const resource: string
