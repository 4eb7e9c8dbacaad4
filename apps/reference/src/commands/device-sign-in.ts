import { styleText } from 'node:util'
import { DEVICE_CODE_GRANT } from '@grantkit/core/device'
import { terminalText } from '@grantkit/core/feature'
import * as oidc from 'openid-client'
import { DISCOVERY, registerDemo } from './demo-registration.ts'

/** The demonstration without a browser, by the device grant. */

const HOW_TO_GET_ONE = `this server gives the device grant to integrations only. Add one, and name it:
  DEVICE_GRANT=integrations npx -y pnpm@12 grantkit clients add --name 'Grantkit demo' --public --grant device
  npx -y pnpm@12 demo --device --client-id <client_id>`

/** @param clientId of an integration. Default: the client registers itself. @throws Error that says what to do */
export async function deviceClient(
  baseUrl: string,
  clientId: string | undefined,
): Promise<oidc.Configuration> {
  if (clientId !== undefined)
    return oidc.discovery(new URL(baseUrl), clientId, undefined, oidc.None(), DISCOVERY)
  const client = await registerDemo(baseUrl, {
    redirect_uris: ['http://127.0.0.1/callback'],
    grant_types: ['authorization_code', 'refresh_token', DEVICE_CODE_GRANT],
  })
  if (client.serverMetadata().device_authorization_endpoint === undefined)
    throw new Error('this server has no device grant; start it with DEVICE_GRANT=integrations')
  const registered = client.clientMetadata().grant_types as readonly string[] | undefined
  if (!registered?.includes(DEVICE_CODE_GRANT)) throw new Error(HOW_TO_GET_ONE)
  return client
}

/** Shows the code and polls until the user has answered. */
export async function signInOnDevice(client: oidc.Configuration, scope: string) {
  const started = await oidc.initiateDeviceAuthorization(client, { scope })
  console.log(
    `\n  On any device with a browser, open ${styleText('cyan', terminalText(started.verification_uri))}`,
  )
  console.log(`  and type ${styleText('bold', terminalText(started.user_code))}\n`)
  return oidc.pollDeviceAuthorizationGrant(client, started)
}
