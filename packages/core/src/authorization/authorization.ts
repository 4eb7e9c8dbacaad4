/**
 * From the browser's request to a code. The response is a page or a redirect. Nothing is stored before the
 * user decides. The application makes the pages (`interaction.ts`); the rules that keep them safe are here.
 */
import { CLIENT_ERRORS } from '../clients/client-record.ts'
import { type RedirectUriOptions, redirectUriPolicyOf } from '../clients/redirect-uri.ts'
import { CHALLENGE_METHOD } from '../grants/authorization-code.ts'
import type { WithTerms } from '../grants/request-terms.ts'
import { basePathOf, type Endpoint, endpointPath, type PathOptions } from '../http/endpoint.ts'
import { readMessage } from '../http/message.ts'
import { checkLanguages } from '../kernel/display-text.ts'
import { type Kernel, lifetime } from '../kernel/kernel.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import { requestedScopes, type ScopeOptions, unrestricted } from '../kernel/scope.ts'
import type { ServerSecret } from '../kernel/secrets.ts'
import type { AuthorizationContext } from './authorization-context.ts'
import {
  type ChallengeOptions,
  parametersOf,
  type RequestOptions,
  readAuthorizationRequest,
  type ValidateRequest,
} from './authorization-request.ts'
import { authorize, sentParameters, showFormAgain } from './authorize.ts'
import { CONSENT_ERRORS, ConsentForm, consent } from './consent.ts'
import { type CallbackOptions, checkSession, type Interaction } from './interaction.ts'
import { redirectTargetOf, showErrorPage, TargetParameters } from './redirect-target.ts'
import type { StepUpOptions } from './sign-in.ts'

export interface AuthorizationOptions
  extends PathOptions<'authorize' | 'consent'>,
    RedirectUriOptions,
    CallbackOptions,
    ChallengeOptions,
    ScopeOptions,
    StepUpOptions {
  /** The sign-in session of a browser, and the pages: sign-in, consent, error. */
  readonly interaction: Interaction
  /** Signs consent forms. At least 32 characters, the same on every replica. */
  readonly secret: ServerSecret
  readonly lifetimes?:
    | {
        /** Lifetime of an authorization code. Default 60. */
        readonly code?: number | undefined
        /** Lifetime of a grant, no matter how often it is refreshed. Default 180 days. */
        readonly grant?: number | undefined
        /** Time to answer a consent page. Default 600. */
        readonly consentTicket?: number | undefined
      }
    | undefined
}

const DAY = 24 * 60 * 60

/** In seconds. @throws Error that names the option at fault */
export function grantLifetime({ lifetimes }: AuthorizationOptions): number {
  return lifetime('grant', lifetimes?.grant, 180 * DAY)
}

/** In seconds. @throws Error that names the option at fault */
export function codeLifetime({ lifetimes }: AuthorizationOptions): number {
  return lifetime('code', lifetimes?.code, 60)
}

/** @throws Error that names the option at fault */
export function authorization(
  server: AuthorizationEndpointServer,
  options: AuthorizationOptions,
  mounted: Mounted,
): {
  endpoints: Endpoint[]
  metadata: Readonly<Record<string, unknown>>
  validateRequest: ValidateRequest
} {
  const { defaultScope, unknownScopes, pkce, callbackPage } = options
  checkDefaultScope(server, defaultScope)
  const { interaction, secret, keys, limiter, authenticationClasses } = server
  const { requestSources, senderConstraint, sessions, responseModes } = mounted
  const { requestTerms } = server
  const { session, uiLocales } = interaction
  const { names } = authenticationClasses
  checkSession(session, server.issuer)
  if (uiLocales !== undefined) checkLanguages('interaction.uiLocales', uiLocales)
  const paths = {
    authorize: endpointPath('authorize', options.paths?.authorize, '/oauth/authorize'),
    consent: endpointPath('consent', options.paths?.consent, '/oauth/consent'),
  }
  const basePath = basePathOf(server.issuer)
  const bindsCodes = senderConstraint !== undefined
  const context: AuthorizationContext = {
    ...{ kernel: server, interaction, secret, keys, limiter, callbackPage },
    ...{ requestSources, senderConstraint, sessions, authenticationClasses },
    requestOptions: {
      ...{ defaultScope, unknownScopes, pkce, responseModes, authenticationClasses, requestTerms },
      parameters: parametersOf({ bindsCodes, authenticationClasses, requestTerms }),
    },
    redirectUriPolicy: redirectUriPolicyOf(options),
    lifetimes: {
      code: codeLifetime(options),
      grant: grantLifetime(options),
      consentTicket: lifetime('consentTicket', options.lifetimes?.consentTicket, 600),
    },
    paths: { authorize: basePath + paths.authorize, consent: basePath + paths.consent },
  }
  return {
    endpoints: pages(context, paths),
    validateRequest: validatorOf(context),
    metadata: {
      code_challenge_methods_supported: [CHALLENGE_METHOD],
      authorization_response_iss_parameter_supported: true,
      ui_locales_supported: uiLocales,
      acr_values_supported: names.length === 0 ? undefined : names,
    },
  }
}

type AuthorizationEndpointServer = Kernel &
  WithTerms &
  Pick<AuthorizationContext, 'keys' | 'limiter' | 'interaction' | 'secret' | 'authenticationClasses'>
type Mounted = Pick<AuthorizationContext, 'requestSources' | 'senderConstraint' | 'sessions'> &
  Pick<RequestOptions, 'responseModes'>

/** The endpoints for browsers. Scripts of other origins cannot read them. */
function pages(context: AuthorizationContext, paths: AuthorizationContext['paths']): Endpoint[] {
  const refusal: Endpoint['refusal'] = (error, request) =>
    showErrorPage(context, error, request, sentParameters(context, request))
  const page = { cors: false, refusal }
  return [
    {
      ...page,
      path: paths.authorize,
      metadataName: 'authorization_endpoint',
      summary: 'Ask the user (RFC 6749 4.1.1)',
      message: context.requestOptions.parameters,
      methods: ['GET', 'POST'],
      answer: (request) => authorize(context, request),
    },
    {
      ...page,
      path: paths.consent,
      summary: 'The answer of the user, sent by the consent page',
      message: ConsentForm,
      methods: ['POST'],
      refusal(error, request) {
        const { reason } = CONSENT_ERRORS.consent_ticket_invalid
        if (error.reason === reason) return showFormAgain(context, request)
        const sent = sentParameters(context, request, ({ query }) => query)
        return showErrorPage(context, error, request, sent)
      },
      answer: (request) => consent(context, request),
    },
  ]
}

function validatorOf(context: AuthorizationContext): ValidateRequest {
  const { kernel, requestOptions, requestSources } = context
  return async (sent, bind, now, client) => {
    // What is pushed is the request itself, or one parameter that carries it (RFC 9126 3).
    const opened = requestSources?.opened(sent)
    if (client !== undefined) {
      await opened?.verify?.(client, now)
      requestSources?.require(client, opened, true)
    } else if (opened !== undefined) throw new OAuthError(CLIENT_ERRORS.client_not_approved)
    const bound = bind(opened?.sent ?? sent, opened)
    const target = readMessage(TargetParameters, bound)
    if (client === undefined) readMessage(requestOptions.parameters, bound)
    else readAuthorizationRequest(kernel, requestOptions, redirectTargetOf(client, target, context), bound)
    return { parameters: bound, opened }
  }
}

function checkDefaultScope({ scopes }: Kernel, defaultScope: string | undefined): void {
  try {
    if (defaultScope !== undefined) requestedScopes(defaultScope, scopes, unrestricted(scopes))
  } catch (cause) {
    throw new Error('defaultScope names a scope that is not in the catalogue, or is restricted', { cause })
  }
}
