import type { HttpResponse } from '@grantkit/core'
import type { KnownClient } from '@grantkit/core/known-clients'
import { type Check, firstComplaint, skippedWithout } from './check.ts'
import { documentOf, type Evidence, headerOf, memberOf } from './evidence.ts'
import { METADATA_CHECKS } from './metadata-checks.ts'
import { listed, type Metadata, readsDocuments, registers } from './ways-of-known-clients.ts'

const metadata = ({ answers }: Evidence) => documentOf(answers.serverMetadata)
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
    examine: skippedWithout(metadata, (document) =>
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
    causes: 'never_asked',
    title: `The metadata promise what ${name} needs`,
    fix: 'Offer the method none (CLIENT_AUTHENTICATION), and let iss pass: in the metadata and in every answer (RFC 9207).',
    examine: skippedWithout(metadata, (document) =>
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

function registration({ id, name, redirectUris }: KnownClient): Check {
  return {
    id: 'client-registration',
    causes: 'known_client_off',
    title: `${name} may register its redirect URIs`,
    fix: `Allow it: KNOWN_CLIENTS=${id}, or knownClients of @grantkit/core/known-clients. If it comes by its document alone: CIMD_ADMIT.`,
    examine: skippedWithout(
      ({ answers }) => answers.registration,
      (answer) => {
        if (answer.status !== 201) return `the answer was ${answer.status} ${reasonOf(answer)}`
        const registered = documentOf(answer)?.redirect_uris
        const left = redirectUris.filter((uri) => !(Array.isArray(registered) && registered.includes(uri)))
        return left.length === 0 ? undefined : `it was registered without ${left.join(' ')}`
      },
    ),
    note: () => 'as "Grantkit doctor"; Grantkit forgets it, since no user approves it',
  }
}

/** The server may ask the user, or send them to its sign-in page. */
function authorization({ name, redirectUris: [redirectUri = ''] }: KnownClient): Check {
  return {
    id: 'client-authorization',
    causes: 'redirect_uri_not_accepted',
    title: `The user of ${name} is asked`,
    fix: 'A proxy must pass requests of the authorization endpoint on, with redirect URIs of other hosts and schemes in the query.',
    examine: skippedWithout(
      ({ answers }) => answers.authorize,
      (answer) => {
        const location = headerOf(answer, 'location')
        if (answer.status >= 400) return `the answer was ${answer.status}`
        return location.startsWith(`${redirectUri}?`) ? `it was sent back: ${location}` : undefined
      },
    ),
  }
}

function reasonOf(answer: HttpResponse): string {
  return [memberOf(answer, 'error'), memberOf(answer, 'error_description')].filter(Boolean).join(': ')
}
