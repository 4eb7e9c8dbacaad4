/**
 * A client ID metadata document (draft-ietf-oauth-client-id-metadata-document): which URLs are client ids and which of them the
 * operator admits (section 3), the schema of a document, and the client that it describes (section 4). Nothing but the host of
 * the URL authenticates a document. Nothing is fetched here.
 */
import * as z from 'zod'
import type { ClientAuthMethod } from '../../clients/authentication/client-authentication.ts'
import {
  type CheckClient,
  clientMetadata,
  featureMetadata,
  nameOfDocument,
  withoutEmpty,
} from '../../clients/client-metadata.ts'
import { clientFrom, MAX_CLIENT_ID_LENGTH } from '../../clients/client-record.ts'
import { hasUnsafeScheme, refuseResponseParameters } from '../../clients/redirect-uri.ts'
import { listOf, readMessage, text } from '../../http/message.ts'
import { httpsParts, type PublicUrlRule, publicUrlFault } from '../../http/public-url.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { OAuthError } from '../../kernel/oauth-error.ts'
import { type Client, camelCased } from '../../kernel/records.ts'
import { isPublic, JWS_ALGORITHMS } from '../../tokens/jwk.ts'

const DOT_SEGMENT = /\/(\.|%2e){1,2}(\/|$)/i

/** Why a `client_id` is not the URL of a document. The issuer is not a client of itself. */
export function clientIdUrlFault(clientId: string, rule: PublicUrlRule): string | undefined {
  if (clientId.length > MAX_CLIENT_ID_LENGTH) return `is longer than ${MAX_CLIENT_ID_LENGTH} characters`
  const { path, query } = httpsParts(clientId) ?? {}
  if (path === undefined) return 'is no https address'
  if (query !== undefined) return 'has a query'
  if (path === '' || path === '/') return 'has no path'
  if (DOT_SEGMENT.test(path)) return 'has a dot segment'
  return publicUrlFault(clientId, rule)
}

/** Whether a document may describe a client, and which redirect URIs it may list. */
export type Admission =
  | 'yes'
  | 'no'
  /** The operator trusts the host like a static client: the https redirect URIs of the document are accepted too. */
  | 'https-callbacks-too'

/** Decides on a `client_id` before anything is fetched. Compare whole strings, never prefixes. */
export type AdmissionPolicy = (clientId: string) => Admission

/**
 * Admits only documents of these hosts. A host is compared as it is written in the `client_id`.
 *
 * @example
 * ```ts
 * import { admitHosts, clientDocuments } from '@grantkit/core/client-documents'
 * import { safeFetch } from '@grantkit/safe-fetch'
 *
 * const admit = admitHosts(['claude.ai', 'vscode.dev'])
 * const documents = clientDocuments({ fetch: safeFetch({ issuer: 'https://auth.example' }), admit })
 * ```
 */
export function admitHosts(hosts: readonly string[], admission: Admission = 'yes'): AdmissionPolicy {
  return (clientId) => (hosts.includes(new URL(clientId).host) ? admission : 'no')
}

/**
 * Admits only these documents.
 *
 * @example
 * ```ts
 * import { admitClientIds, clientDocuments } from '@grantkit/core/client-documents'
 * import { safeFetch } from '@grantkit/safe-fetch'
 *
 * const admit = admitClientIds(['https://app.example/client.json'])
 * const documents = clientDocuments({ fetch: safeFetch({ issuer: 'https://auth.example' }), admit })
 * ```
 */
export function admitClientIds(clientIds: readonly string[], admission: Admission = 'yes'): AdmissionPolicy {
  return (clientId) => (clientIds.includes(clientId) ? admission : 'no')
}

type DocumentVerdict =
  | { readonly kind: 'client'; readonly client: Client }
  /** The server offers none of its authentication methods. Its redirect URIs are known, so it gets an error by redirect. */
  | { readonly kind: 'unusable'; readonly client: Client; readonly fault: string }
  | { readonly kind: 'invalid'; readonly fault: string }
  /** A feature does not accept the client that it describes. */
  | { readonly kind: 'refused'; readonly fault: string }

export type Members = Readonly<Record<string, unknown>>

/** Reads the document of a client id. @param expiresAt when the client record expires, in epoch seconds */
export type ReadDocument = (clientId: string, members: Members, expiresAt: number) => DocumentVerdict

/** What a document may register, except its authentication methods. */
const REGISTRABLE = {
  authMethods: [],
  /** The last one for clients that a trust of `jwtBearer` names. */
  grantTypes: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
  signingAlgorithms: [],
  /** RFC 9449 5.2, RFC 9101 10.5, JARM 3, Back-Channel Logout 2.2. They count where the feature is; unknown algorithms never do. */
  members: {
    dpop_bound_access_tokens: z.boolean().optional(),
    require_signed_request_object: z.boolean().optional(),
    request_object_signing_alg: z.enum(JWS_ALGORITHMS).optional().catch(undefined),
    authorization_signed_response_alg: z.enum(['RS256', 'ES256', 'EdDSA']).optional().catch(undefined),
    backchannel_logout_uri: text(2048).optional().catch(undefined),
    backchannel_logout_session_required: z.boolean().optional().catch(undefined),
  },
}

const MAX_REDIRECT_URIS = 20

/** A document is public, so it cannot contain a secret (section 4.1). */
const SHARED_SECRET = /^client_secret_/

const method = text(100).refine((name) => !SHARED_SECRET.test(name), 'must not need a shared secret')
const publicKey = z.looseObject({}).refine(isPublic, 'must be public keys')

function documentSchema(clientId: string) {
  const registered = clientMetadata(REGISTRABLE)
  return registered.extend({
    client_id: z.literal(clientId),
    client_name: nameOfDocument,
    // Only `native` and `web` are known here. The redirect URIs decide between them.
    application_type: registered.shape.application_type.catch(undefined),
    redirect_uris: listOf(text(2048), MAX_REDIRECT_URIS)
      .min(1, 'must not be empty')
      .refine((uris) => !uris.some(hasUnsafeScheme), 'must not have an unsafe scheme, such as javascript:'),
    token_endpoint_auth_method: method.optional(),
    token_endpoint_auth_methods_supported: listOf(method, 20).default([]),
    client_secret: z.never('must not be there').optional(),
    client_secret_expires_at: z.never('must not be there').optional(),
    jwks: z.object({ keys: listOf(publicKey, 20) }).optional(),
    jwks_uri: text(2048).optional(),
  })
}

/** @param methods the authentication methods of the server @param checkClient what features require of a client */
export function documentReader(
  kernel: Kernel,
  methods: readonly ClientAuthMethod[],
  checkClient: CheckClient = () => {},
): ReadDocument {
  return (clientId, published, expiresAt) => {
    let described = false
    try {
      const members = withoutEmpty(published) as Members
      const document = readMessage(documentSchema(clientId), members)
      if (document.jwks !== undefined && document.jwks_uri !== undefined)
        return { kind: 'invalid', fault: 'has both jwks and jwks_uri' }
      refuseResponseParameters(document.redirect_uris)
      const { method, ...terms } = authenticationOf(namedMethods(document), members, methods)
      const metadata = { ...camelCased(document), tokenEndpointAuthMethod: method }
      const registered = { ...featureMetadata(metadata, REGISTRABLE), ...terms.featureMetadata }
      const client = clientFrom(kernel, document.client_id, metadata, {
        ...terms,
        ...{ origin: 'document', redirectUris: document.redirect_uris, expiresAt },
        featureMetadata: Object.keys(registered).length === 0 ? undefined : registered,
      })
      if (client.cannotAuthenticate === true)
        return { kind: 'unusable', client, fault: 'names no authentication method of this server' }
      described = true
      checkClient(client)
      return { kind: 'client', client }
    } catch (thrown) {
      if (thrown instanceof OAuthError)
        return { kind: described ? 'refused' : 'invalid', fault: thrown.message }
      throw thrown
    }
  }
}

/** A client that names no method is public, although RFC 7591 has another default. */
function namedMethods({
  token_endpoint_auth_method: preferred,
  token_endpoint_auth_methods_supported: others,
}: z.output<ReturnType<typeof documentSchema>>): readonly string[] {
  const named = preferred === undefined ? others : [preferred, ...others]
  return named.length === 0 ? ['none'] : [...new Set(named)]
}

/**
 * How the client of a document authenticates. A client that may be public is public and may still authenticate, so that an
 * unsupported preference does not lock it out.
 *
 * @param named the methods that the document names, the preferred one first
 * @param offered the methods of the server
 */
function authenticationOf(named: readonly string[], document: Members, offered: readonly ClientAuthMethod[]) {
  const usable = new Map<string, Members>()
  for (const name of named) {
    const kept = offered.find((method) => method.name === name)?.ofDocument?.(document)
    if (kept !== undefined) usable.set(name, kept)
  }
  const [first] = usable.keys()
  if (first === undefined) return { method: named[0] ?? 'none', cannotAuthenticate: true as const }
  const method = usable.has('none') ? 'none' : first
  const others = [...usable.keys()].filter((name) => name !== method)
  return {
    method,
    otherAuthMethods: others.length === 0 ? undefined : others,
    featureMetadata: Object.assign({}, ...usable.values()),
  }
}
