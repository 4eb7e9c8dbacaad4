import { withParameters } from '../clients/redirect-uri.ts'
import { type HttpResponse, redirect } from '../http/http.ts'
import type { PageView } from '../http/page.ts'
import { defineErrors, type ErrorDefinition, OAuthError } from '../kernel/oauth-error.ts'
import type { Client } from '../kernel/records.ts'

/** The parameters of an answer to a client (RFC 6749 4.1.2, RFC 9207 2). */
export type AnswerParameters = Readonly<Record<string, string | undefined>>

/** Where an answer goes. */
export interface AnswerTarget {
  readonly client: Client
  readonly redirectUri: string
}

/** How an answer reaches its client (`response_mode`, OAuth 2.0 Multiple Response Type Encoding Practices 2.1). */
export interface ResponseMode {
  readonly name: string
  /** Whether the browser gets a redirect, so that what applies to redirects holds for it; otherwise it gets a page. */
  readonly redirects: boolean
  fits(redirectUri: string): boolean
  /** Why this client gets no answer but by modes that say so; absent if it gets others too. */
  requiredBy?(client: Client): ErrorDefinition | undefined
  /** Seconds for which an answer is valid, if the mode limits it. */
  readonly lifetime?: number | undefined
  /** @param page for the language, if the browser gets one */
  answer(
    target: AnswerTarget,
    parameters: AnswerParameters,
    page: PageView,
  ): HttpResponse | Promise<HttpResponse>
}

/** A mode that sends other parameters, such as a signed message, by another mode. */
export interface EncodedResponseMode {
  readonly name: string
  /** The name of that other mode. Without it the server does not have this one either. */
  readonly carrier: string
  /** As of any mode. */
  requiredBy?(client: Client): ErrorDefinition | undefined
  readonly lifetime?: number | undefined
  encode(target: AnswerTarget, parameters: AnswerParameters): AnswerParameters | Promise<AnswerParameters>
}

/** The mode of every server, and of a request that names none. */
export const QUERY: ResponseMode = {
  name: 'query',
  redirects: true,
  fits: () => true,
  answer: ({ redirectUri }, parameters) => redirect(withParameters(redirectUri, parameters)),
}

const HINT = '. In ASP.NET Core set ResponseMode to OpenIdConnectResponseMode.Query'

export const RESPONSE_MODE_ERRORS = defineErrors({
  response_mode_unsupported: ['invalid_request', `response_mode must be query${HINT}`],
})

/** All modes of a server. Its features make it: a server without them does not have it. */
export class ResponseModes {
  readonly brought: readonly (ResponseMode | EncodedResponseMode)[]
  /** The default first. */
  readonly names: readonly string[]
  readonly #modes: readonly ResponseMode[]

  constructor(brought: ResponseModes['brought']) {
    const carriers = [QUERY, ...brought.filter(isCarrier)]
    this.brought = brought
    this.#modes = [QUERY, ...brought.flatMap((mode) => (isCarrier(mode) ? mode : encodedBy(mode, carriers)))]
    this.names = this.#modes.map(({ name }) => name)
  }

  and({ brought }: ResponseModes): ResponseModes {
    return new ResponseModes([...this.brought, ...brought])
  }

  /** The modes that a request may name, the default first. */
  #allowed({ client, redirectUri }: AnswerTarget): readonly ResponseMode[] {
    const fitting = this.#modes.filter((mode) => mode.fits(redirectUri))
    const required = fitting.filter((mode) => mode.requiredBy?.(client))
    return required.length > 0 ? required : fitting
  }

  /** The mode of all answers to a request: of the refusal too, if the requested mode is none that the request may name. */
  of(target: AnswerTarget, requested: string | undefined): ResponseMode {
    const allowed = this.#allowed(target)
    return allowed.find(({ name }) => name === requested) ?? allowed[0] ?? QUERY
  }

  /** Of a mode that the request may not name. */
  refusal(target: AnswerTarget): OAuthError {
    const allowed = this.#allowed(target)
    const [required] = allowed.flatMap((mode) => mode.requiredBy?.(target.client) ?? [])
    const names = allowed.map(({ name }) => name)
    const must = `response_mode must be ${names.length === 1 ? '' : 'one of '}${names.join(', ')}`
    const hint = names.includes('query') && !names.includes('form_post') ? HINT : ''
    return new OAuthError(required ?? RESPONSE_MODE_ERRORS.response_mode_unsupported, must + hint)
  }
}

function isCarrier(mode: ResponseMode | EncodedResponseMode): mode is ResponseMode {
  return !('carrier' in mode)
}

function encodedBy(mode: EncodedResponseMode, carriers: readonly ResponseMode[]): ResponseMode[] {
  const carrier = carriers.find(({ name }) => name === mode.carrier)
  if (carrier === undefined) return []
  return [
    {
      name: mode.name,
      redirects: carrier.redirects,
      fits: (redirectUri) => carrier.fits(redirectUri),
      requiredBy: (client) => mode.requiredBy?.(client),
      lifetime: mode.lifetime,
      answer: async (target, parameters, page) =>
        carrier.answer(target, await mode.encode(target, parameters), page),
    },
  ]
}
