/**
 * The document of a client (draft-ietf-oauth-client-id-metadata-document 4). Its members go in, a client or a fault comes
 * out. Nobody vouches for it but the host of its address.
 */
import { z } from 'zod'
import {
  type ClientMetadata,
  clientMetadata,
  featureMetadata,
  type Registrable,
} from '../clients/client-metadata.ts'
import { clientFrom } from '../clients/new-client.ts'
import { refuseAnswerParameters } from '../clients/redirect-uri.ts'
import { listOf, readMessage, text } from '../http/message.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'

/** The client of a document. */
export type DocumentVerdict =
  | { readonly kind: 'client'; readonly client: Client }
  /** It can authenticate in no way that this server offers. Its redirect URIs are known, so it can be told. */
  | { readonly kind: 'unusable'; readonly client: Client; readonly fault: string }
  | { readonly kind: 'invalid'; readonly fault: string }

const MOST_REDIRECT_URIS = 20

/** A document is public, so it can hold no secret (section 4.1). */
const SHARED_SECRET = /^client_secret_/
/** Parameters of private and symmetric keys (RFC 7518 6). */
const SECRET_KEY_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']
const SCRIPT = /^\s*(javascript|data|vbscript|blob|file):/i

const method = text(100).refine((name) => !SHARED_SECRET.test(name), 'must not need a shared secret')
const publicKey = z
  .looseObject({})
  .refine((key) => SECRET_KEY_MEMBERS.every((name) => !(name in key)), 'must be public keys')

function documentSchema(clientId: string, registrable: Registrable) {
  const registered = clientMetadata(registrable)
  return registered.extend({
    client_id: z.literal(clientId),
    client_name: registered.shape.client_name.unwrap(),
    redirect_uris: listOf(text(2048), MOST_REDIRECT_URIS)
      .min(1, 'must not be empty')
      .refine((uris) => !uris.some((uri) => SCRIPT.test(uri)), 'must not run a script'),
    token_endpoint_auth_method: method.optional(),
    token_endpoint_auth_methods_supported: listOf(method, 20).default([]),
    client_secret: z.never('must not be there').optional(),
    client_secret_expires_at: z.never('must not be there').optional(),
    jwks: z.object({ keys: listOf(publicKey, 20) }).optional(),
    jwks_uri: text(2048).optional(),
  })
}

/** The client that a document describes. */
export function clientOfDocument(
  kernel: Kernel,
  clientId: string,
  members: Readonly<Record<string, unknown>>,
  { expiresAt, ...registrable }: Registrable & Pick<Client, 'expiresAt'>,
): DocumentVerdict {
  try {
    const document = readMessage(documentSchema(clientId, registrable), members)
    if (document.jwks !== undefined && document.jwks_uri !== undefined)
      return { kind: 'invalid', fault: 'jwks and jwks_uri are both there' }
    refuseAnswerParameters(document.redirect_uris)
    const [preferred, usable] = authMethodsOf(document, registrable)
    const metadata: ClientMetadata = { ...document, token_endpoint_auth_method: usable ?? preferred }
    const own = featureMetadata(document, registrable)
    const terms = {
      origin: 'document',
      redirectUris: document.redirect_uris,
      expiresAt,
      featureMetadata: own,
    } as const
    const client = clientFrom(kernel, document.client_id, metadata, terms)
    if (usable !== undefined) return { kind: 'client', client }
    return { kind: 'unusable', client, fault: 'no way to authenticate is offered here' }
  } catch (thrown) {
    if (thrown instanceof OAuthError) return { kind: 'invalid', fault: thrown.message }
    throw thrown
  }
}

/** The preferred method, and the first one of the client that is offered here. A client that names none is public. */
function authMethodsOf(
  document: Pick<
    z.output<ReturnType<typeof documentSchema>>,
    'token_endpoint_auth_method' | 'token_endpoint_auth_methods_supported'
  >,
  { authMethods }: Registrable,
): [preferred: string, usable: string | undefined] {
  const { token_endpoint_auth_method: preferred, token_endpoint_auth_methods_supported: others } = document
  const able = preferred === undefined ? others : [preferred, ...others]
  const [first = 'none'] = able
  return [first, able.length === 0 ? 'none' : able.find((name) => authMethods.includes(name))]
}
