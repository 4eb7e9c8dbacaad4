export interface DescribeMcpClientsOptions {
  /** The server challenges every request without a token. Default: false. */
  readonly challenges?: boolean | undefined
  /** The server knows the documents of `mcpClients`, and admits their https callbacks. Default: false. */
  readonly documents?: boolean | undefined
  /** Names of clients whose registration the server refuses. Default: none. */
  readonly refused?: readonly string[] | undefined
  /** Moves the clock of the server until the end of the test. Default: what needs it is not tested. */
  readonly pass?: ((seconds: number) => void) | undefined
}
