import type { Browser, Send } from '@grantkit/testkit/client'

/** An MCP server and its authorization server, as a client meets them. */
export interface McpServerUnderTest {
  /** The address of the MCP server, which is its resource identifier (RFC 8707): `https://notes.example/mcp`. */
  readonly resource: string
  /** Takes the user through your pages to the redirect URI, such as `formBrowser`. */
  readonly browser: Browser
  /** A scope that clients get first. It is the default scope too: some clients ask for none. */
  readonly scope: string
  /** A scope that they ask for later, when a tool needs it. */
  readonly laterScope: string
  /** A tool that needs both scopes. Default: clients ask for the later scope unchallenged. */
  readonly tool?: { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> } | undefined
  /** Adds a confidential client as its operator does, such as `clients.add` of a Grantkit server. */
  readonly add?:
    | ((client: {
        readonly clientName: string
        readonly redirectUris: readonly string[]
      }) => Promise<{ readonly clientId: string; readonly clientSecret?: string | undefined }>)
    | undefined
  /** Default: `fetch`. */
  readonly send?: Send | undefined
  close?(): Promise<unknown>
}
