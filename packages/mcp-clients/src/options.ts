import type { McpClient } from './mcp-client.ts'

/** A client that cannot sign in by these options is reported too: a test says that the server does not let it in. */
export interface DescribeMcpClientsOptions {
  /** The clients to replay. Default: `mcpClients`. */
  readonly clients?: readonly McpClient[] | undefined
  /**
   * Ids of the known clients whose redirect URIs the server accepts at registration; `all` of them. Default: none, so clients
   * without a loopback redirect URI get an error at registration.
   */
  readonly known?: 'all' | readonly string[] | undefined
  /** The server challenges every request without a token. Default: false. */
  readonly challenges?: boolean | undefined
  /** The server knows the documents of `mcpClients`, and admits their https callbacks. Default: false. */
  readonly documents?: boolean | undefined
  /** The server has `add`, for the clients that only an operator can add. Default: the server has none. */
  readonly added?: boolean | undefined
  /** Moves the clock of the server until the end of the test. Default: what needs it is not tested. */
  readonly pass?: ((seconds: number) => void) | undefined
}
