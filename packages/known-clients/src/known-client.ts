/** An entry of the table: who a client is, the exact addresses it uses, and how that is known. Plain data. */
import { isPrivateUseUri } from '@grantkit/core/feature'

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

/** An exact https address with a path. No user, port or fragment; a query only as a part of the string. */
const HTTPS_CALLBACK = /^https:\/\/([a-z0-9-]+\.)+[a-z][a-z0-9-]*\/[^#\s\\*{}<>]+$/

/** What is wrong with an entry. @param others those that it must not overlap with */
export function entryFault(entry: KnownClient, others: readonly KnownClient[]): string | undefined {
  const { id, host, redirectUris, documents, formActionHops } = entry
  if (!/^[a-z0-9][a-z0-9-]*$/.test(id)) return `id ${JSON.stringify(id)} must be in lower case, with hyphens`
  if (!isHost(host)) return `host ${JSON.stringify(host)} must be a host name in lower case`
  if (others.some((other) => other.id === id)) return `id ${id} is taken`
  const wrong = redirectUris.find((uri) => !isExactCallback(uri))
  if (wrong !== undefined)
    return `redirectUris: ${wrong} must be an exact https address with a path, or of a private-use scheme`
  const taken = redirectUris.find((uri) => others.some((other) => other.redirectUris.includes(uri)))
  if (taken !== undefined) return `redirectUris: ${taken} belongs to another entry`
  const document = documents.find(({ url }) => !HTTPS_CALLBACK.test(url))
  if (document !== undefined) return `documents: ${document.url} must be an exact https address`
  const hop = formActionHops.find((scheme) => !isPrivateUseUri(`${scheme}//x`))
  return hop === undefined ? undefined : `formActionHops: ${hop} must be a private-use scheme such as app:`
}

function isExactCallback(uri: string): boolean {
  return isPrivateUseUri(uri) || (HTTPS_CALLBACK.test(uri) && new URL(uri).href === uri)
}

function isHost(host: string): boolean {
  return /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host)
}
