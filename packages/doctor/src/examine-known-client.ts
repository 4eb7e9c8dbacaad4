import { KNOWN_CLIENTS, type KnownClient } from '@grantkit/known-clients'
import { type DiagnosisOptions, evidenceOf, type Finding, findingOf, type SendProbe } from './diagnose.ts'
import { type Ask, authorize, PROBES, registerClient } from './evidence.ts'
import { authorizationProbe, isRegistered, knownClientChecks } from './known-client-checks.ts'
import { registeredUrisOf } from './registered-redirect-uris.ts'

/** Why there is no known client of this name. */
export function unknownClientReason(id: string): string | undefined {
  const ids = KNOWN_CLIENTS.map((entry) => entry.id)
  return ids.includes(id)
    ? undefined
    : `"${id}" is neither the address of a client's document nor a known client: ${ids.join(', ')}.`
}

/**
 * Whether a known client could sign in at a deployment: by its metadata, and by a registration with the redirect URIs of the
 * client that expires unused.
 *
 * @param id of the table, such as `cursor`
 * @throws RangeError that lists the ids
 *
 * @example
 * ```ts
 * import { examineKnownClient, sendByFetch } from '@grantkit/doctor'
 *
 * const findings = await examineKnownClient('cursor', 'https://auth.example', sendByFetch)
 * ```
 */
export async function examineKnownClient(
  id: string,
  baseUrl: string,
  send: SendProbe,
  options: DiagnosisOptions = {},
): Promise<readonly Finding[]> {
  const client = KNOWN_CLIENTS.find((entry) => entry.id === id)
  if (client === undefined) throw new RangeError(unknownClientReason(id))
  const evidence = await evidenceOf(baseUrl, send, probesFor(client, options), options)
  return knownClientChecks(client).map((check) => findingOf(check, evidence))
}

function probesFor(client: KnownClient, { register = true }: DiagnosisOptions) {
  const { serverMetadata, openIdConfiguration } = PROBES
  const redirectUris = register ? registeredUrisOf(client) : []
  const registration: Ask = (_, seen) => registerClient(seen, redirectUris)
  return {
    serverMetadata,
    openIdConfiguration,
    ...(redirectUris.length > 0 && { registration, ...authorizations(redirectUris) }),
  } as Readonly<Record<string, Ask>>
}

/** Only where the client can come back to. */
function authorizations(redirectUris: readonly string[]): Readonly<Record<string, Ask>> {
  return Object.fromEntries(
    redirectUris.map((uri): [string, Ask] => [
      authorizationProbe(uri),
      (_, seen) => (isRegistered(uri, seen.registration) ? authorize(seen, uri) : undefined),
    ]),
  )
}
