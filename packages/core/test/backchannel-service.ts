import type { AuthorizationServerOptions, HttpResponse } from '@grantkit/core'
import {
  type BackchannelAnsweredView,
  type BackchannelAuthenticationOptions,
  type BackchannelNotice,
  type BackchannelRequestsView,
  type BackchannelRequestView,
  backchannelAuthentication,
  CIBA_GRANT,
} from '@grantkit/core/backchannel-authentication'
import { bodyOf, type ClientAnswer } from './client.ts'
import { openService, type Service, type ServiceScope } from './service.ts'

export const SCOPE = 'openid courses:read'
export const PAGE = '/oauth/requests'
/** The addresses of the agent and of the browser of its user. */
const AGENT = '203.0.113.7'
const BROWSER = '198.51.100.9'

export interface Asked {
  readonly auth_req_id: string
  readonly expires_in: number
  readonly interval: number
}

interface Settings extends Partial<Omit<BackchannelAuthenticationOptions, 'pages'>> {
  readonly server?: Partial<AuthorizationServerOptions<ServiceScope>>
}

interface ShownPages {
  list?: BackchannelRequestsView
  request?: BackchannelRequestView
  answered?: BackchannelAnsweredView
}

/** The service with backchannel authentication, and an agent that the operator added. Its users are Alice and Bob. */
export async function openBackchannelService({ server = {}, ...options }: Settings = {}) {
  const shown: ShownPages = {}
  const notices: BackchannelNotice[] = []
  const page = (body: string) => ({ status: 200, headers: { 'content-type': 'text/html' }, body })
  const pages = {
    requestsPage(view: BackchannelRequestsView) {
      shown.list = view
      return page('list')
    },
    requestPage(view: BackchannelRequestView) {
      shown.request = view
      return page('request')
    },
    requestAnsweredPage(view: BackchannelAnsweredView) {
      shown.answered = view
      return page('answered')
    },
  }
  const feature = backchannelAuthentication({
    pages,
    userOf: async ({ name, value }) => {
      const subject = name === 'login_hint' ? value.split('@')[0] : value
      return subject !== undefined && ['alice', 'bob'].includes(subject) ? subject : undefined
    },
    notify: (notice) => void notices.push(notice),
    ...options,
  })
  const service: Service = openService({ ...server, features: [feature, ...(server.features ?? [])] })
  const agent = await addAgent(service)
  return { service, shown, notices, agent, approvals: feature, ...actionsAt(service, shown, notices, agent) }
}

export async function addAgent(service: Service, metadata: object = {}): Promise<ClientAnswer> {
  return service.server.clients.add({
    clientName: 'Night agent',
    redirectUris: [],
    grantTypes: [CIBA_GRANT, 'refresh_token'],
    ...metadata,
  })
}

function actionsAt(
  service: Service,
  shown: ShownPages,
  notices: readonly BackchannelNotice[],
  agent: ClientAnswer,
) {
  const credentials = ({ clientId, clientSecret = '' }: ClientAnswer) => ({
    client_id: clientId,
    client_secret: clientSecret,
  })
  const ask = (form: Record<string, string> = {}, client = agent): Promise<HttpResponse> => {
    const named =
      'id_token_hint' in form || 'login_hint_token' in form ? {} : { login_hint: 'alice@server.example' }
    return service.send('POST', '/api/oauth/bc-authorize', {
      form: { ...credentials(client), scope: SCOPE, ...named, ...form },
      remoteAddress: AGENT,
    })
  }
  const start = async (form: Record<string, string> = {}, client = agent): Promise<Asked> =>
    bodyOf<Asked>(await ask(form, client))

  const poll = (
    { auth_req_id }: Pick<Asked, 'auth_req_id'>,
    form: Record<string, string> = {},
    client = agent,
  ) =>
    service.send('POST', '/api/oauth/token', {
      form: { grant_type: CIBA_GRANT, ...credentials(client), auth_req_id, ...form },
      remoteAddress: AGENT,
    })

  /** The list, or the page of one request. */
  const open = (query = '', cookie = 'user=alice') =>
    service.send('GET', PAGE, { query, headers: { cookie }, remoteAddress: BROWSER })

  /** The link of the last notice. */
  const openLast = (cookie = 'user=alice') =>
    open(String(new URL(String(notices.at(-1)?.url)).search.slice(1)), cookie)

  /** Submits the page that was shown last. */
  const answer = (decision = 'allow', form: Record<string, string> = {}, cookie = 'user=alice') => {
    const [path = '', query = ''] = String(shown.request?.action).split('?')
    const ticked = shown.request?.scopes.map(({ name }): [string, string] => ['scope', name]) ?? []
    const fields = { ticket: String(shown.request?.ticket), decision, ...form }
    const headers = { cookie }
    return service.send('POST', path, { query, form: [...Object.entries(fields), ...ticked], headers })
  }

  /** The client asks, and the user answers. */
  const answered = async (decision: 'allow' | 'deny', form: Record<string, string> = {}) => {
    const asked = await start()
    await openLast()
    await answer(decision, form)
    return asked
  }
  return { ask, start, poll, open, openLast, answer, answered }
}
