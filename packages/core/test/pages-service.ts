import type {
  CallbackView,
  ConsentView,
  ErrorView,
  HttpResponse,
  Interaction,
  PageView,
  SignInHint,
} from '@grantkit/core'
import { DEVICE_CODE_GRANT, type DeviceView, device, type UserCodeView } from '@grantkit/core/device'
import { type FormPostView, formPost } from '@grantkit/core/form-post'
import { type LogoutView, logout } from '@grantkit/core/logout'
import { pushedAuthorizationRequests } from '@grantkit/core/par'
import { expect } from 'vitest'
import { authorizationQuery, bodyOf } from './client.ts'
import { openService, REDIRECT_URI, SCOPES, type Service, signInByCookie } from './service.ts'

/** The service in English, German and French, with every page, and a browser that prefers German. */

const ALICE = 'user=alice@1800000000'
export const FORM = 'application/x-www-form-urlencoded'
/** Neither the default nor what clients ask for. */
export const GERMAN = { 'accept-language': 'de-AT' }
export const AUTHORIZE = '/oauth/authorize'
export const DEVICE = '/oauth/device'
export const LOGOUT = '/oauth/logout'

const LOCALIZED_SCOPES = {
  ...SCOPES,
  'courses:read': {
    description: { en: 'See courses', de: 'Kurse sehen' },
    area: { en: 'Courses', de: 'Kurse' },
    access: 'read',
  },
  'courses:write': { description: { ja: 'コースを変更', en: 'Change courses' } },
} as const

interface Views {
  'sign-in': SignInHint
  consent: ConsentView
  callback: CallbackView
  error: ErrorView
  'user code': UserCodeView
  device: DeviceView
  logout: LogoutView
  'form post': FormPostView
}

export async function openPages() {
  const shown: { page: string; view: PageView }[] = []
  const service = serviceWithPages((page) => (view) => {
    shown.push({ page, view })
    return { status: 200, headers: {}, body: page }
  })
  const lastShown = () => shown.at(-1)
  const viewOf = <Page extends keyof Views>(page: Page) => {
    expect(lastShown()?.page).toBe(page)
    return lastShown()?.view as Views[Page]
  }
  return { service, lastShown, viewOf, ...browserAt(service), ...(await clientOf(service)) }
}

type Show = (page: string) => (view: PageView) => HttpResponse

function serviceWithPages(show: Show): Service {
  const interaction: Interaction = {
    ...signInByCookie({}, () => 0),
    uiLocales: ['en', 'de', 'fr'],
    signIn: (_, hint) => show('sign-in')(hint),
    consentPage: show('consent'),
    errorPage: show('error'),
  }
  const devicePages = {
    userCodePage: show('user code'),
    devicePage: show('device'),
    deviceAnsweredPage: show('device answered'),
  }
  const logoutPages = { logoutPage: show('logout'), signedOutPage: show('signed out') }
  return openService({
    ...{ scopes: LOCALIZED_SCOPES, interaction, callbackPage: show('callback') },
    features: [
      device(devicePages, { scopes: Object.keys(SCOPES) }),
      logout({ ...logoutPages, endSession: async () => '' }),
      pushedAuthorizationRequests(),
      formPost({ formPostPage: show('form post') }),
    ],
  })
}

/** It follows redirects. */
function browserAt(service: Service) {
  const follow = async (location: unknown, cookie?: string): Promise<void> =>
    location === undefined ? undefined : open(String(location), cookie)
  const open = async (address: string, cookie = ALICE): Promise<void> => {
    const [path = '', query = ''] = address.split('?')
    const { headers } = await service.send('GET', path, { query, headers: { cookie, ...GERMAN } })
    return follow(headers.location, cookie)
  }
  const post = async (action: string, form: string | Record<string, string>, more = {}) => {
    const [path = '', query = ''] = action.split('?')
    const all = { cookie: ALICE, 'content-type': FORM, ...GERMAN, ...more }
    const { headers } = await service.send('POST', path, { query, form, headers: all })
    return follow(headers.location)
  }
  return { open, post }
}

/** A public client with the authorization code grant and the device grant. */
async function clientOf(service: Service) {
  const { clientId: client_id } = await service.server.clients.add({
    ...{ clientName: 'Editor', redirectUris: [REDIRECT_URI], tokenEndpointAuthMethod: 'none' },
    grantTypes: ['authorization_code', DEVICE_CODE_GRANT],
  })
  const send = async (path: string, form: string | Record<string, string>) =>
    bodyOf<Record<string, string>>(await service.send('POST', path, { form }))
  const queryOf = (sent: Record<string, string>) => authorizationQuery(client_id, sent)
  return {
    queryOf,
    async push(sent: Record<string, string>) {
      const { request_uri = '' } = await send('/api/oauth/par', queryOf(sent))
      return String(new URLSearchParams({ client_id, request_uri }))
    },
    async userCodeFor(scope: string) {
      return (await send('/api/oauth/device_authorization', { client_id, scope })).user_code ?? ''
    },
  }
}
