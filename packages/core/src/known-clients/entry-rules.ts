import { isPrivateUseUri } from '../clients/redirect-uri.ts'
import type { KnownClient } from './known-client.ts'

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
