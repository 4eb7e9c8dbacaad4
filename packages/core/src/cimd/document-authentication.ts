import type { ClientAuthMethod } from '../clients/authentication/client-authentication.ts'
import type { Client } from '../kernel/records.ts'

interface Authentication extends Pick<Client, 'otherAuthMethods' | 'cannotAuthenticate' | 'featureMetadata'> {
  readonly method: string
}

type Members = Readonly<Record<string, unknown>>

/**
 * How the client of a document authenticates. One that may be public is public, and may prove who it is all the same: a
 * preference that this server cannot meet must not lock it out.
 *
 * @param named the methods that the document names, the preferred one first
 * @param offered those of the server
 */
export function authenticationOf(
  named: readonly string[],
  document: Members,
  offered: readonly ClientAuthMethod[],
): Authentication {
  const usable = new Map<string, Members>()
  for (const name of named) {
    const kept = offered.find((method) => method.name === name)?.ofDocument?.(document)
    if (kept !== undefined) usable.set(name, kept)
  }
  const [first] = usable.keys()
  if (first === undefined) return { method: named[0] ?? 'none', cannotAuthenticate: true }
  const method = usable.has('none') ? 'none' : first
  const others = [...usable.keys()].filter((name) => name !== method)
  return {
    method,
    otherAuthMethods: others.length === 0 ? undefined : others,
    featureMetadata: Object.assign({}, ...usable.values()),
  }
}
