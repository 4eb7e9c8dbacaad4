/**
 * The device grant (RFC 8628): a device without a browser gets a code, its user types that code into any browser, and the device
 * polls until the user has decided. Requests are transients; an approval opens a grant like any other.
 *
 * Whoever starts this flow gets the tokens, wherever they are. It is therefore for clients that the operator knows.
 */
import { ConsentForm } from '../../authorization/consent.ts'
import { errorPages } from '../../authorization/redirect-target.ts'
import type { ClientEndpoint } from '../../clients/client-endpoint.ts'
import type { Feature } from '../../feature.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import { readMessage } from '../../http/message.ts'
import {
  answerDevice,
  DEVICE_PAGE_ERRORS,
  type DeviceApproved,
  type DeviceDenied,
  enterCode,
  showCodePage,
  UserCodeForm,
  type UserCodeWrong,
} from './decision.ts'
import {
  authorizeDevice,
  DEVICE_AUTHORIZATION_ERRORS,
  DEVICE_REQUEST_ERRORS,
  DeviceAuthorizationRequest,
  type DeviceRequested,
  USER_CODE_ERRORS,
  USER_CODE_LIMITS,
} from './device-authorization.ts'
import {
  contextOf,
  type DeviceContext,
  type DeviceInteraction,
  type DeviceOptions,
  pathsOf,
} from './device-context.ts'
import {
  DEVICE_CODE_ERRORS,
  type DeviceCodeRedeemed,
  deviceCodeGrantType,
  POLL_ERRORS,
} from './device-token-request.ts'

export {
  DEVICE_CODE_GRANT,
  type DeviceAnsweredView,
  type DeviceInteraction,
  type DeviceOptions,
  type DeviceView,
  type UserCodeView,
} from './device-context.ts'

export type DeviceEvent = DeviceRequested | DeviceApproved | DeviceDenied | UserCodeWrong | DeviceCodeRedeemed

/**
 * The device grant (RFC 8628). Needs a store with transients.
 *
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
      // 18 polls a minute: a device whose clock runs a third too fast is within the limit.
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
    summary: 'Request codes for a device without a browser (RFC 8628 3.1)',
    message: DeviceAuthorizationRequest,
    begin(form) {
      const requested = readMessage(DeviceAuthorizationRequest, form)
      return (client, request) => authorizeDevice(context, client, requested, request)
    },
  }
}

/** The pages of the user. */
function pageEndpoints(context: DeviceContext, path: string): Endpoint[] {
  const page = errorPages(context.server)
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
