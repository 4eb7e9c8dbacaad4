/**
 * An MCP client that people use, and its requests as they were seen on the wire. In a request, `{name}` stands for what
 * differs each time. A request that was not recorded is left out, unless `recorded` says otherwise. So are the headers of the
 * connection, and those that the `fetch` of Node adds by itself.
 */
export interface McpClient {
  readonly name: string
  readonly version: string
  /** The day on which its requests were seen: `2026-11-22`. */
  readonly date: string
  /** Where they were seen. */
  readonly source: string
  /** The result with Grantkit. Default: it was not tested, and its requests are published ones. */
  readonly tried?: string
  /**
   * `false`: its requests are not published. Its registration has the members that its source names, and its other requests are
   * those that MCP requires of every client. Default true.
   */
  readonly recorded?: false
  /** The id of its entry in `KNOWN_CLIENTS` of `@grantkit/known-clients`. A client without one needs none. */
  readonly known?: string
  /** Its redirect URI. A `{port}` is a free one of each process. */
  readonly redirectUri: string
  /** The whole list that it registers: `{redirect_uris}` in its requests. Default: `redirectUri` alone. */
  readonly redirectUris?: readonly string[]
  /** Its Client ID Metadata Document, as published. */
  readonly document?: Readonly<Record<string, unknown>>
  readonly requests: McpClientRequests
  /** Members that this client reads, in addition to those that every client reads. */
  readonly reads?: Readonly<
    Partial<Record<'serverMetadata' | 'registration' | 'callback', readonly string[]>>
  >
}

/** HTTP messages: a request line, headers, an empty line and a body; of the authorization, its address alone. */
export interface McpClientRequests {
  /** Its first request to the MCP server, where that is not `call` without a token. */
  readonly probe?: string
  readonly resourceMetadata?: string
  readonly serverMetadata?: string
  /** Only of a client that can register itself (RFC 7591). One with neither this nor a document is added by the operator. */
  readonly registration?: string
  readonly authorization: string
  readonly token?: string
  readonly refresh?: string
  /** What it sends when its user signs out. */
  readonly revocation?: readonly string[]
  /** Its first message to the MCP server, with a token. */
  readonly call?: string
  /** Of a client that asks its user again when a tool needs more scopes. Others refresh, or give up. */
  readonly toolCall?: string
}
