/** An entry of the table: who a client is, the exact addresses it uses, and how that is known. Plain data. */

export interface KnownClient {
  /** Lower case, never reused. */
  readonly id: string
  readonly name: string
  readonly vendor: string
  /** The host that users are shown for an https redirect URI on it. */
  readonly host: string
  /** Exact strings, https or of a private-use scheme. Loopback addresses stay with `loopbackOnly`. */
  readonly redirectUris: readonly string[]
  /** Its client ID metadata documents. */
  readonly documents: readonly KnownClientDocument[]
  /** Schemes that its callback goes on to, such as `claude:`: the consent form must allow them. */
  readonly formActionHops: readonly string[]
  /** What it must find in the server to choose these addresses: `iss` in every authorization response (RFC 9207). */
  readonly needs?: readonly 'iss'[] | undefined
  /** Where its addresses come from. `observed`: requests that servers saw, without a statement of the vendor. */
  readonly evidence: 'vendor-page' | 'vendor-document' | 'vendor-source' | 'observed'
  /** The page, document or file. */
  readonly source: string
  /** The day on which the source said so: `2026-09-17`. */
  readonly seen: string
  /**
   * Why it is off unless named. `passes-code-on`: its callback gives the code to a program that it does not know. `shows-code`: it
   * shows the code to the user. `confidential`: it needs a client secret.
   */
  readonly caution?: keyof typeof CAUTIONS | undefined
  /** Why it was taken out for security. It stays in the table, so that a server that names it starts; none of its addresses is accepted. */
  readonly removed?: string | undefined
}

/** What each `caution` says, after the name of the client. */
export const CAUTIONS = {
  'passes-code-on': 'its page passes the code on to a program that it does not know',
  'shows-code': 'its page shows the code to the user',
  confidential: 'it needs a client secret',
} as const

export interface KnownClientDocument {
  /** The `client_id`. */
  readonly url: string
  /** The document, as it was published on the day `seen`; absent if its text is not known. */
  readonly json?: Readonly<Record<string, unknown>> | undefined
  readonly seen: string
}

/** On without being named: the vendor itself says that these are its addresses, and nothing speaks against them. */
export function isOnByDefault({ evidence, caution, removed }: KnownClient): boolean {
  return evidence !== 'observed' && caution === undefined && removed === undefined
}
