/**
 * How a client proves who it is (RFC 6749 2.3). A request comes in with its form, a client whose proof was checked goes
 * out. Each method is a file beside this one; exactly one of them may speak in a request.
 */
import { z } from 'zod'
import { type HttpRequest, header } from '../../http/http.ts'
import { readMessage, text } from '../../http/message.ts'
import type { Parameters } from '../../http/parameters.ts'
import { OAuthError, type Refusal, refusals } from '../../kernel/oauth-error.ts'
import type { Client } from '../../kernel/records.ts'
import { CLIENT_REFUSALS } from '../client-sources.ts'

export const AUTHENTICATION_REFUSALS = refusals({
  client_not_identified: { error: 'invalid_client', description: 'client_id is missing' },
  client_auth_method_mismatch: {
    error: 'invalid_client',
    description: 'The client must authenticate with the method it is registered for',
  },
  client_secret_wrong: { error: 'invalid_client', description: 'The client secret is wrong' },
  client_not_confidential: {
    error: 'invalid_client',
    description: 'This endpoint needs a client that authenticates with a secret',
  },
})

/** The parameters a client identifies itself with at the token, revocation and introspection endpoints. */
export const ClientCredentials = z.object({
  client_id: text(200).optional(),
  client_secret: text(200).optional(),
  client_assertion: z.string().optional(),
  client_assertion_type: z.string().optional(),
})
export type ClientCredentials = z.infer<typeof ClientCredentials>

/** One way to authenticate, by its name in the registry of RFC 8414 7.1. */
export interface ClientAuthMethod {
  readonly name: string
  /** Where its credential is: in the header `authorization`, or in a parameter of this name. Absent: nowhere. */
  readonly carrier?: string | undefined
  /** What the request presents, or `undefined` when the credential is not of this method. Looks, and checks nothing. */
  read(request: HttpRequest, credentials: ClientCredentials, form: Parameters): PresentedProof | undefined
}

export interface PresentedProof {
  readonly clientId: string | undefined
  /** @throws OAuthError `invalid_client` */
  verify(client: Client): void | Promise<void>
}

/** What a request says of its client, before anybody looks whether it is true. */
export interface Presented {
  readonly method: string
  readonly proof: PresentedProof
}

/** Whoever uses these is no public client, whether or not a method for them is offered. */
const STANDARD_CARRIERS = ['authorization', 'client_secret', 'client_assertion']

/** Reads what a request presents. @throws OAuthError for credentials that are malformed */
export type ReadProof = (request: HttpRequest, form: Parameters) => Presented

export function proofReader(methods: readonly ClientAuthMethod[]): ReadProof {
  const carriers = [...new Set([...STANDARD_CARRIERS, ...methods.flatMap(({ carrier }) => carrier ?? [])])]
  return (request, form) => {
    const credentials = readMessage(ClientCredentials, form)
    const carrier = filledOne(carriers, request, form)
    for (const method of methods) {
      const proof = method.carrier === carrier ? method.read(request, credentials, form) : undefined
      if (proof !== undefined) return { method: method.name, proof }
    }
    return unsupported(credentials)
  }
}

/** A method that is not offered must not be taken for none, and no client is registered for this one. */
function unsupported({ client_id }: ClientCredentials): Presented {
  return { method: 'unsupported', proof: { clientId: client_id, verify: () => {} } }
}

/** The one carrier that holds something; `several` is the name of none. */
function filledOne(carriers: readonly string[], request: HttpRequest, form: Parameters): string | undefined {
  let filled: string | undefined
  for (const carrier of carriers) {
    if (!isFilled(carrier, request, form)) continue
    if (filled !== undefined) return 'several'
    filled = carrier
  }
  return filled
}

function isFilled(carrier: string, request: HttpRequest, form: Parameters): boolean {
  if (carrier === 'authorization') return header(request, carrier) !== undefined
  if (carrier === 'client_assertion' && form.client_assertion_type !== undefined) return true
  return form[carrier] !== undefined
}

/** Nobody's secret has this hash. */
const NOBODY = { secretHash: '-'.repeat(43) } as Client

/**
 * Checks what a client presents. Returns a promise only where the method needs one.
 *
 * @throws OAuthError `invalid_client`
 */
export function checkProof({ method, proof }: Presented, client: Client | undefined): void | Promise<void> {
  if (proof.clientId === undefined) throw new OAuthError(AUTHENTICATION_REFUSALS.client_not_identified)
  if (client?.tokenEndpointAuthMethod === method) return proof.verify(client)
  const { client_auth_method_mismatch } = AUTHENTICATION_REFUSALS
  return refuseAfter(
    proof,
    client === undefined ? CLIENT_REFUSALS.client_unknown : client_auth_method_mismatch,
  )
}

/** Verifies all the same, or the time of the refusal would tell who is a client. */
async function refuseAfter(proof: PresentedProof, refusal: Refusal): Promise<never> {
  try {
    await proof.verify(NOBODY)
  } catch {
    // It is refused whatever the proof is worth.
  }
  throw new OAuthError(refusal)
}
