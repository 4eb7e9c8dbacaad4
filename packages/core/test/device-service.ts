import type { AuthorizationServerOptions, HttpResponse } from '@grantkit/core'
import {
  DEVICE_CODE_GRANT,
  type DeviceAnsweredView,
  type DeviceInteraction,
  type DeviceOptions,
  type DeviceView,
  device,
  type UserCodeView,
} from '@grantkit/core/device'
import { bodyOf, type ClientAnswer } from './client.ts'
import { openService, type Service, type ServiceScope } from './service.ts'

export const SCOPE = 'openid courses:read'
/** The addresses of the device and of the browser of its user. */
export const DEVICE = '203.0.113.7'
export const BROWSER = '198.51.100.9'

export interface Started {
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri: string
  readonly verification_uri_complete?: string
  readonly expires_in: number
  readonly interval: number
}

interface Settings extends DeviceOptions {
  readonly server?: Partial<AuthorizationServerOptions<ServiceScope>>
}

/** The service with the device grant, and a command-line tool that the operator added. */
export async function openDeviceService({ server = {}, ...options }: Settings = {}) {
  const shown: { code?: UserCodeView; device?: DeviceView; answered?: DeviceAnsweredView } = {}
  const page = (status: number, body: string) => ({ status, headers: { 'content-type': 'text/html' }, body })
  const pages: DeviceInteraction = {
    userCodePage(view) {
      shown.code = view
      return page(200, 'code')
    },
    devicePage(view) {
      shown.device = view
      return page(200, 'device')
    },
    deviceAnsweredPage(view) {
      shown.answered = view
      return page(200, 'answered')
    },
  }
  const service: Service = openService({
    ...server,
    features: [device(pages, options), ...(server.features ?? [])],
  })
  const tool = await addTool(service)
  return { service, shown, tool, ...actionsAt(service, shown, tool) }
}

export async function addTool(service: Service, metadata: object = {}): Promise<ClientAnswer> {
  return service.server.clients.add({
    clientName: 'Command line',
    redirectUris: [],
    tokenEndpointAuthMethod: 'none',
    grantTypes: [DEVICE_CODE_GRANT, 'refresh_token'],
    ...metadata,
  })
}

function actionsAt(
  service: Service,
  shown: { code?: UserCodeView; device?: DeviceView },
  tool: ClientAnswer,
) {
  const ask = (
    form: Record<string, string> = {},
    client = tool,
    remoteAddress = DEVICE,
  ): Promise<HttpResponse> =>
    service.send('POST', '/api/oauth/device_authorization', {
      form: { client_id: client.clientId, scope: SCOPE, ...form },
      remoteAddress,
    })
  const start = async (form: Record<string, string> = {}, client = tool): Promise<Started> =>
    bodyOf<Started>(await ask(form, client))

  const poll = ({ device_code }: Pick<Started, 'device_code'>, form: Record<string, string> = {}) =>
    service.send('POST', '/api/oauth/token', {
      form: { grant_type: DEVICE_CODE_GRANT, client_id: tool.clientId, device_code, ...form },
      remoteAddress: DEVICE,
    })

  const open = (cookie = 'user=alice', query = '') =>
    service.send('GET', '/oauth/device', { query, headers: { cookie }, remoteAddress: BROWSER })

  /** Types the code into a new form. */
  const enter = async (user_code: string, cookie = 'user=alice', remoteAddress = BROWSER, more = {}) => {
    await open(cookie)
    return type(user_code, cookie, remoteAddress, more)
  }

  /** Types the code into the form that was shown last. */
  const type = (user_code: string, cookie = 'user=alice', remoteAddress = BROWSER, more = {}) => {
    const [path = '', query = ''] = String(shown.code?.action).split('?')
    const form = { ticket: String(shown.code?.ticket), user_code }
    return service.send('POST', path, { query, form, headers: { cookie, ...more }, remoteAddress })
  }

  /** Comes back from the sign-in with this session, and types the code again. */
  const enterAgain = async (user_code: string, cookie: string) => {
    await open(cookie, String(service.shown.signIn).split('?')[1])
    return type(user_code, cookie)
  }

  /** Submits the page that was shown last, or another one. */
  const answer = (
    decision = 'allow',
    cookie = 'user=alice',
    view = shown.device,
    scopes?: string[],
    more = {},
  ) => {
    const [path = '', query = ''] = String(view?.action).split('?')
    const ticked = scopes ?? view?.scopes.map(({ name }) => name) ?? []
    const form: [string, string][] = [
      ['ticket', String(view?.ticket)],
      ['decision', decision],
      ...ticked.map((name): [string, string] => ['scope', name]),
    ]
    return service.send('POST', path, { query, form, headers: { cookie, ...more }, remoteAddress: BROWSER })
  }

  const approve = async (started: Started, cookie = 'user=alice') => {
    await enter(started.user_code, cookie)
    return answer('allow', cookie)
  }
  return { ask, start, poll, open, enter, enterAgain, answer, approve }
}
