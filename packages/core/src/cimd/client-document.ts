/**
 * The document of a client (draft-ietf-oauth-client-id-metadata-document 4): its schema, and the client that it describes. It is
 * verified by nothing but the host of its address.
 */
import { z } from 'zod'
import type { ClientAuthMethod } from '../clients/authentication/client-authentication.ts'
import { clientMetadata, featureMetadata } from '../clients/client-metadata.ts'
import { clientFrom } from '../clients/client-record.ts'
import { refuseAnswerParameters, SCRIPT_URI } from '../clients/redirect-uri.ts'
import { listOf, readMessage, text } from '../http/message.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'
import { isPublic } from '../tokens/jwk.ts'

type DocumentVerdict =
  | { readonly kind: 'client'; readonly client: Client }
  /** It can authenticate in no way that this server offers. Its redirect URIs are known, so it gets an error. */
  | { readonly kind: 'unusable'; readonly client: Client; readonly fault: string }
  | { readonly kind: 'invalid'; readonly fault: string }

type Members = Readonly<Record<string, unknown>>

/** Reads the document at an id. @param expiresAt of the record of its client */
export type ReadDocument = (clientId: string, members: Members, expiresAt: number) => DocumentVerdict

/** What a document may register, apart from its ways to authenticate. */
const REGISTRABLE = {
  authMethods: [],
  grantTypes: ['authorization_code', 'refresh_token'],
  signingAlgorithms: [],
  /** RFC 9449 5.2. A server without DPoP ignores it. */
  members: { dpop_bound_access_tokens: z.boolean().optional() },
}

const MAX_REDIRECT_URIS = 20

/** A document is public, so it can hold no secret (section 4.1). */
const SHARED_SECRET = /^client_secret_/

const method = text(100).refine((name) => !SHARED_SECRET.test(name), 'must not need a shared secret')
const publicKey = z.looseObject({}).refine(isPublic, 'must be public keys')

function documentSchema(clientId: string) {
  const registered = clientMetadata(REGISTRABLE)
  return registered.extend({
    client_id: z.literal(clientId),
    client_name: registered.shape.client_name.unwrap(),
    redirect_uris: listOf(text(2048), MAX_REDIRECT_URIS)
      .min(1, 'must not be empty')
      .refine((uris) => !uris.some((uri) => SCRIPT_URI.test(uri)), 'must not run a script'),
    token_endpoint_auth_method: method.optional(),
    token_endpoint_auth_methods_supported: listOf(method, 20).default([]),
    client_secret: z.never('must not be there').optional(),
    client_secret_expires_at: z.never('must not be there').optional(),
    jwks: z.object({ keys: listOf(publicKey, 20) }).optional(),
    jwks_uri: text(2048).optional(),
  })
}

/** @param methods the ways to authenticate that the server offers */
export function documentReader(kernel: Kernel, methods: readonly ClientAuthMethod[]): ReadDocument {
  return (clientId, members, expiresAt) => {
    try {
      const document = readMessage(documentSchema(clientId), members)
      if (document.jwks !== undefined && document.jwks_uri !== undefined)
        return { kind: 'invalid', fault: 'jwks and jwks_uri are both there' }
      refuseAnswerParameters(document.redirect_uris)
      const { method, ...terms } = authenticationOf(namedMethods(document), members, methods)
      const registered = { ...featureMetadata(document, REGISTRABLE), ...terms.featureMetadata }
      const metadata = { ...document, token_endpoint_auth_method: method }
      const client = clientFrom(kernel, document.client_id, metadata, {
        ...terms,
        ...{ origin: 'document', redirectUris: document.redirect_uris, expiresAt },
        featureMetadata: Object.keys(registered).length === 0 ? undefined : registered,
      })
      if (client.cannotAuthenticate !== true) return { kind: 'client', client }
      return { kind: 'unusable', client, fault: 'no way to authenticate is offered here' }
    } catch (thrown) {
      if (thrown instanceof OAuthError) return { kind: 'invalid', fault: thrown.message }
      throw thrown
    }
  }
}

/** A client that names none is public, though the default of RFC 7591 is another. */
function namedMethods({
  token_endpoint_auth_method: preferred,
  token_endpoint_auth_methods_supported: others,
}: z.output<ReturnType<typeof documentSchema>>): readonly string[] {
  const named = preferred === undefined ? others : [preferred, ...others]
  return named.length === 0 ? ['none'] : [...new Set(named)]
}

interface Authentication extends Pick<Client, 'otherAuthMethods' | 'cannotAuthenticate' | 'featureMetadata'> {
  readonly method: string
}

/**
 * How the client of a document authenticates. A client that may be public is public, and may still authenticate: a preference
 * that this server cannot meet must not lock it out.
 *
 * @param named the methods that the document names, the preferred one first
 * @param offered those of the server
 */
function authenticationOf(
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
