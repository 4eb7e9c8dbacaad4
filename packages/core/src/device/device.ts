/**
 * The device grant (RFC 8628): a device without a browser gets a code, its user types that code into a browser anywhere, and
 * the device asks until there is an answer. Requests are transients; an approval opens a grant like every other.
 *
 * Whoever begins this flow gets the tokens, wherever they are. So it is for clients that the operator knows.
 */
import { ConsentForm } from '../authorization/consent.ts'
import { showErrorPage } from '../authorization/error-page.ts'
import type { ClientEndpoint } from '../clients/client-endpoint.ts'
import type { Feature, FeatureParts } from '../feature.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { readMessage } from '../http/message.ts'
import { endpointPath } from '../http/well-known.ts'
import { acceptedSecrets } from '../kernel/server-secret.ts'
import { optionalProofKey } from '../tokens/proof-of-possession.ts'
import { enterCode, showCodePage, UserCodeForm, type UserCodeWrong } from './code-page.ts'
import { answerDevice, type DeviceApproved, type DeviceDenied } from './decision.ts'
import { authorizeDevice, DeviceAuthorizationRequest, type DeviceRequested } from './device-authorization.ts'
import type { DeviceContext } from './device-context.ts'
import { contextOf, type DeviceOptions } from './device-options.ts'
import { type DeviceCodeRedeemed, deviceCodeGrantType } from './exchange.ts'

export { DEVICE_CODE_GRANT } from './device-context.ts'
export type {
  DeviceAnsweredView,
  DeviceInteraction,
  DeviceView,
  UserCodeView,
} from './device-interaction.ts'
export type { DeviceOptions } from './device-options.ts'

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
 * const features = [device({ interaction: pages, secret })]
 * export const authorization = createAuthorizationServer({ issuer, store, scopes, secret, interaction, features })
 * ```
 */
export function device(options: DeviceOptions): Feature {
  const paths = {
    deviceAuthorization: endpointPath(
      'deviceAuthorization',
      options.paths?.deviceAuthorization,
      '/api/oauth/device_authorization',
    ),
    device: endpointPath('device', options.paths?.device, '/oauth/device'),
  }
  acceptedSecrets(options.secret, 'device: ')
  return (kernel) => featureOf(contextOf(kernel, options, paths.device), paths)
}

function featureOf(
  context: DeviceContext,
  paths: { readonly deviceAuthorization: string; readonly device: string },
): FeatureParts {
  const deviceAuthorization: ClientEndpoint = {
    path: paths.deviceAuthorization,
    metadataName: 'device_authorization_endpoint',
    summary: 'Begin to sign in on a device without a browser (RFC 8628 3.1)',
    message: DeviceAuthorizationRequest,
    begin(form) {
      const asked = readMessage(DeviceAuthorizationRequest, form)
      return (client, request, constraint) =>
        authorizeDevice(context, client, asked, request, optionalProofKey(constraint, request, client))
    },
  }
  return {
    grantTypes: [deviceCodeGrantType(context)],
    clientEndpoints: [deviceAuthorization],
    endpoints: pages(context, paths.device),
  }
}

/** Where a person's browser goes. No script of another origin may read these. */
function pages(context: DeviceContext, path: string): Endpoint[] {
  const refusal: Endpoint['refusal'] = (error, request) => showErrorPage(context, error, request)
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
      summary: 'The answer of the user, sent by the page that asks',
      message: ConsentForm,
      methods: ['POST'],
      answer: (request) => answerDevice(context, request),
    },
  ]
}
