import type { HttpResponse } from '@grantkit/core'
import type { KnownClient } from '@grantkit/known-clients'
import { type Check, firstComplaint, orSkipped, Skipped, skippedWithout } from './check.ts'
import { documentOf, headerOf, listed, type Metadata, memberOf, metadata, NO_CLIENT } from './evidence.ts'
import { METADATA_CHECKS, readMetadata } from './metadata-checks.ts'
import { registeredUrisOf } from './registered-redirect-uris.ts'
import { readsDocuments, registers } from './ways-of-known-clients.ts'

const GENERAL = ['server-metadata', 'issuer', 'pkce']

/** Whether this client could sign in. */
export function knownClientChecks(client: KnownClient): readonly Check[] {
  return [
    ...METADATA_CHECKS.filter(({ id }) => GENERAL.includes(id)),
    wayIn(client),
    promises(client),
    registration(client),
    authorization(client),
  ]
}

function wayIn({ id, name, documents }: KnownClient): Check {
  const byDocument = (document: Metadata) => documents.length > 0 && readsDocuments(document)
  return {
    id: 'way-in',
    causes: 'client_unknown',
    title: `${name} can introduce itself`,
    fix: `Enable registration${documents.length > 0 ? ' or client ID metadata documents' : ''}, or add it: clients add --known ${id}.`,
    examine: skippedWithout(readMetadata, (document) =>
      registers(document) || byDocument(document) ? undefined : 'the operator adds each client',
    ),
    note: (evidence) =>
      byDocument(metadata(evidence) ?? {})
        ? `by its document, ${documents[0]?.url}, which --client with this address examines`
        : 'by registration',
  }
}

function promises({ name, needs = [], caution }: KnownClient): Check {
  return {
    id: 'client-needs',
    causes: 'never_requested',
    title: `The metadata promise what ${name} needs`,
    fix: 'Offer the method none (CLIENT_AUTHENTICATION), and let iss pass: in the metadata and in every answer (RFC 9207).',
    examine: skippedWithout(readMetadata, (document) =>
      firstComplaint([
        caution !== 'confidential' &&
          !listed(document, 'token_endpoint_auth_methods_supported').includes('none') &&
          'the method none is not offered, and it has no secret',
        needs.includes('iss') &&
          document.authorization_response_iss_parameter_supported !== true &&
          'iss is not promised, so it has another redirect URI for each connector',
      ]),
    ),
  }
}

function registration(client: KnownClient): Check {
  const { id, name } = client
  return {
    id: 'client-registration',
    causes: 'known_client_off',
    title: `${name} may register its redirect URIs`,
    fix: `Allow it: add ${id} to KNOWN_CLIENTS, or to the option only of knownClients() in @grantkit/known-clients. If it comes by its document alone: CIMD_ADMIT.`,
    examine: skippedWithout(
      orSkipped(({ answers }) => answers.registration, NO_CLIENT),
      (answer) => {
        if (answer.status !== 201) return `the answer was ${answer.status} ${reasonOf(answer)}`
        const left = registeredUrisOf(client).filter((uri) => !isRegistered(uri, answer))
        return left.length === 0 ? undefined : `it was registered without ${left.join(' ')}`
      },
    ),
    note: () =>
      ['as "Grantkit doctor"; Grantkit forgets it, since no user approves it', ...deviations(client)].join(
        '; ',
      ),
  }
}

/** RFC 8252 7.1 requires a reversed domain name, which has a period. */
function deviations({ redirectUris }: KnownClient): string[] {
  const schemes = new Set(redirectUris.map((uri) => new URL(uri).protocol))
  const unowned = [...schemes].filter((scheme) => scheme !== 'https:' && !scheme.includes('.'))
  return unowned.map(
    (scheme) =>
      `${scheme} has no period (RFC 8252 7.1), so it belongs to no domain, and any app can claim it`,
  )
}

/** The server may ask the user, or send them to its sign-in page. */
function authorization(client: KnownClient): Check {
  return {
    id: 'client-authorization',
    causes: 'redirect_uri_not_accepted',
    title: `The user of ${client.name} is asked, at each registered redirect URI`,
    fix: 'A proxy must pass requests of the authorization endpoint on, with redirect URIs of other hosts and schemes in the query.',
    examine({ answers }) {
      const answered = registeredUrisOf(client).flatMap((uri) => {
        const answer = answers[authorizationProbe(uri)]
        return answer ? [refusalAt(uri, answer)] : []
      })
      return answered.length === 0 ? new Skipped(NO_CLIENT) : firstComplaint(answered)
    },
  }
}

export function isRegistered(redirectUri: string, answer: HttpResponse | undefined): boolean {
  return listed(documentOf(answer) ?? {}, 'redirect_uris').includes(redirectUri)
}

/** The name of the probe that sends a user who is to come back there. */
export function authorizationProbe(redirectUri: string): string {
  return `authorize ${redirectUri}`
}

function refusalAt(redirectUri: string, answer: HttpResponse): string | undefined {
  if (answer.status >= 400) return `${redirectUri}: the answer was ${answer.status}`
  const location = headerOf(answer, 'location')
  return location.startsWith(`${redirectUri}?`) ? `it was sent back: ${location}` : undefined
}

function reasonOf(answer: HttpResponse): string {
  return [memberOf(answer, 'error'), memberOf(answer, 'error_description')].filter(Boolean).join(': ')
}
