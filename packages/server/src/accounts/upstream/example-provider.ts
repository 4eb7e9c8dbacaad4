import { html } from '@grantkit/pages'
import { Hono } from 'hono'
import * as z from 'zod'
import type { Config } from '../../config/config.ts'
import { Provider } from '../../config/providers.ts'
import { seeOther } from '../../http/bodies-and-answers.ts'
import { pageResponse, type Site } from '../../http/page.ts'
import { isExposed } from '../open-accounts.ts'
import { configuredProviders, type LocalProvider } from './upstream-sign-ins.ts'

/** A provider for development: it signs in whom the visitor of its page chooses. Nothing of it is served but this page. */
export interface ExampleProvider extends LocalProvider {
  readonly page: (site: Site) => Hono
}

const ID = 'example'
const PATH = '/example-provider'

/** A request of the server's own client names one of them in `as`; any other word denies the sign-in. */
const PEOPLE = {
  grace: { sub: 'grace', name: 'Grace', email: 'grace@example.com', email_verified: true },
  mallory: { sub: 'mallory', name: 'Mallory', email: 'mallory@example.com', email_verified: false },
} as const

/**
 * `undefined` where others may reach the server, because it asks for no password; where `@grantkit/testkit` is not installed; where
 * the configuration switches it off; where an application or a directory has the users; and where a provider has this id.
 */
export async function exampleProvider(config: Config): Promise<ExampleProvider | undefined> {
  const { baseUrl, users } = config
  if (config.exampleProvider === false || isExposed(config) || users !== undefined) return undefined
  if ((await configuredProviders(config)).some(({ id }) => id === ID)) return undefined
  const testkit = await import('@grantkit/testkit/provider').catch(unlessMissing)
  if (testkit === undefined) return undefined
  const op = testkit.testProvider({ issuer: baseUrl + PATH, change: { sendsIss: true } })
  const settings = { ...op.settings, id: ID, label: 'Example', signUp: true }
  const redirectUri = `${baseUrl}/login/with/${ID}/callback`

  const page = (site: Site) =>
    new Hono().get(`${PATH}/authorize`, (c) => {
      const asked = new URL(c.req.url).searchParams
      // Otherwise it would lead to any address.
      if (asked.get('redirect_uri') !== redirectUri) return choicePage(site, undefined)
      const chosen = asked.get('as')
      if (chosen === null) return choicePage(site, asked)
      const user = Object.entries(PEOPLE).find(([name]) => name === chosen)?.[1]
      op.change({ denies: user === undefined })
      op.user = user ?? op.user
      return seeOther(c, op.visit(c.req.url).headers.get('location') ?? '')
    })

  return {
    provider: Provider(z.string()).parse(settings),
    fetch: (url, init) => op.fetch(url, init),
    keepsNoSession: true,
    page,
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
}

/** @param asked the request; `undefined` if it is not one of this server */
function choicePage(site: Site, asked: URLSearchParams | undefined): Response {
  const hidden = [...(asked ?? [])].map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  const people = Object.entries(PEOPLE).map(
    ([id, { email, email_verified }]) =>
      [id, `${email}, ${email_verified ? 'verified' : 'not verified'}`] as const,
  )
  const choices = [...people, ['nobody', 'Nobody: deny the sign-in'] as const].map(
    ([id, text]) => html`
<form method="get" class="other-way">${hidden}<button name="as" value="${id}">${text}</button></form>`,
  )
  const main = html`<h1>Example provider</h1>
<p>This is not a real provider. It is a part of this service for its development, and asks for no password.</p>
${asked === undefined ? html`<p class="problem" role="alert">The request is not one of this service. Begin at its sign-in page.</p>` : html`<p>Who do you want to be?</p>${choices}`}`
  // No form-action: the way back may lead to any client.
  const status = asked === undefined ? 400 : 200
  return pageResponse(site, { title: 'Example provider', main, status, formAction: 'any' })
}
