/**
 * The device grant (RFC 8628): a device without a browser gets a code, its user types that code into a browser anywhere, and
 * the device asks until there is an answer. Requests are transients; an approval opens a grant like every other.
 *
 * Whoever begins this flow gets the tokens, wherever they are. So it is for clients that the operator knows.
 */
import { ConsentForm } from '../authorization/consent.ts'
import { showErrorPage } from '../authorization/redirect-target.ts'
import type { ClientEndpoint } from '../clients/client-endpoint.ts'
import type { Feature } from '../feature.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { readMessage } from '../http/message.ts'
import { enterCode, showCodePage, UserCodeForm, type UserCodeWrong } from './code-page.ts'
import { answerDevice, type DeviceApproved, type DeviceDenied } from './decision.ts'
import {
  authorizeDevice,
  DEVICE_AUTHORIZATION_ERRORS,
  DeviceAuthorizationRequest,
  type DeviceRequested,
} from './device-authorization.ts'
import { DEVICE_CODE_ERRORS } from './device-code.ts'
import { contextOf, type DeviceContext, type DeviceOptions, pathsOf } from './device-context.ts'
import type { DeviceInteraction } from './device-interaction.ts'
import { DEVICE_REQUEST_ERRORS } from './device-request.ts'
import { type DeviceCodeRedeemed, deviceCodeGrantType, POLL_ERRORS } from './device-token-request.ts'
import { DEVICE_PAGE_ERRORS } from './page-session.ts'
import { USER_CODE_ERRORS, USER_CODE_LIMITS } from './user-code.ts'

export { DEVICE_CODE_GRANT } from './device-context.ts'
export type {
  DeviceAnsweredView,
  DeviceInteraction,
  DeviceView,
  UserCodeView,
} from './device-interaction.ts'
export type { DeviceOptions }

export type DeviceEvent = DeviceRequested | DeviceApproved | DeviceDenied | UserCodeWrong | DeviceCodeRedeemed

/**
 * @throws Error that names the option at fault, when the server is created
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { device } from '@grantkit/core/device'
 *
 * declare const pages: import('@grantkit/core/device').DeviceInteraction
 *
 * const features = [device(pages)]
 * export const authorization = createAuthorizationServer({ issuer, store, scopes, secret, interaction, features })
 * ```
 */
export function device(pages: DeviceInteraction, options: DeviceOptions = {}): Feature {
  const paths = pathsOf(options)
  return (server) => {
    const context = contextOf(server, pages, options)
    return {
      grantTypes: [deviceCodeGrantType(context)],
      clientEndpoints: [deviceAuthorization(context, paths.deviceAuthorization)],
      endpoints: pageEndpoints(context, paths.device),
      // A device whose clock runs a third too fast polls 18 times a minute, and is in order.
      rateLimits: {
        device_request: { points: 30, seconds: 600 },
        device_poll: { points: 18, seconds: 60 },
        ...USER_CODE_LIMITS,
      },
      errors: {
        ...{ ...DEVICE_AUTHORIZATION_ERRORS, ...DEVICE_REQUEST_ERRORS, ...DEVICE_PAGE_ERRORS },
        ...{ ...DEVICE_CODE_ERRORS, ...POLL_ERRORS, ...USER_CODE_ERRORS },
      },
    }
  }
}

function deviceAuthorization(context: DeviceContext, path: string): ClientEndpoint {
  return {
    path,
    metadataName: 'device_authorization_endpoint',
    summary: 'Begin to sign in on a device without a browser (RFC 8628 3.1)',
    message: DeviceAuthorizationRequest,
    begin(form) {
      const requested = readMessage(DeviceAuthorizationRequest, form)
      return (client, request) => authorizeDevice(context, client, requested, request)
    },
  }
}

/** Where a person's browser goes. No script of another origin may read these. */
function pageEndpoints(context: DeviceContext, path: string): Endpoint[] {
  const { server } = context
  const refusal: Endpoint['refusal'] = (error, request) =>
    showErrorPage({ kernel: server, interaction: server.interaction }, error, request)
  const page = { cors: false, refusal }
  return [
    {
      ...page,
      path,
      summary: 'Enter the code of a device (RFC 8628 3.3)',
      message: UserCodeForm,
      methods: ['GET', 'POST'],
      answer: (request) =>
        request.method === 'GET' ? showCodePage(context, request) : enterCode(context, request),
    },
    {
      ...page,
      path: `${path}/decision`,
      summary: "The user's answer, sent by the confirmation page",
      message: ConsentForm,
      methods: ['POST'],
      answer: (request) => answerDevice(context, request),
    },
  ]
}
