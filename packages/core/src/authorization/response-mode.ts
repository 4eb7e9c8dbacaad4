import { withParameters } from '../clients/redirect-uri.ts'
import { type HttpResponse, redirect } from '../http/http.ts'
import type { PageView } from '../http/page.ts'
import type { ErrorDefinition } from '../kernel/oauth-error.ts'
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
const QUERY: ResponseMode = {
  name: 'query',
  redirects: true,
  fits: () => true,
  answer: ({ redirectUri }, parameters) => redirect(withParameters(redirectUri, parameters)),
}

/** All modes of a server, the default first. @param brought by its features */
export function responseModesOf(
  brought: readonly (ResponseMode | EncodedResponseMode)[],
): readonly ResponseMode[] {
  const carriers = [QUERY, ...brought.filter(isCarrier)]
  return [QUERY, ...brought.flatMap((mode) => (isCarrier(mode) ? mode : encodedBy(mode, carriers)))]
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

/** The modes that a request may name, the default first. */
export function allowedModes(
  modes: readonly ResponseMode[],
  { client, redirectUri }: AnswerTarget,
): readonly ResponseMode[] {
  const fitting = modes.filter((mode) => mode.fits(redirectUri))
  const required = fitting.filter((mode) => mode.requiredBy?.(client))
  return required.length > 0 ? required : fitting
}

/** The mode of all answers to a request: of the refusal too, if the requested mode is none that the request may name. */
export function responseModeOf(
  modes: readonly ResponseMode[],
  target: AnswerTarget,
  requested: string | undefined,
): ResponseMode {
  const allowed = allowedModes(modes, target)
  return allowed.find(({ name }) => name === requested) ?? allowed[0] ?? QUERY
}

/** Whether the answers to a request go as it wants. */
export function isRequested({ name }: ResponseMode, requested: string | undefined): boolean {
  return name === (requested ?? QUERY.name)
}
