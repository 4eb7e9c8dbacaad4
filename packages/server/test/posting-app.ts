import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import openidConnect from 'express-openid-connect'
import type { RunningServer } from './running-server.ts'

/** An application of express-openid-connect at 127.0.0.1 that gets its answers by a form. `/me` says who is signed in. */
export async function runPostingApp(server: RunningServer) {
  const app = express()
  const posts: { origin: string | undefined; cookies: string[]; type: string | undefined }[] = []
  const site = createServer(app).listen(0, '127.0.0.1')
  await once(site, 'listening')
  const baseURL = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  const { clientId, clientSecret = '' } = await server.clients.add({
    ...{ clientName: 'Timetable', redirectUris: [`${baseURL}/callback`] },
  })
  app
    .use(({ method, headers }, response, next) => {
      const cookies = (headers.cookie ?? '').split('; ').map((pair) => pair.split('=')[0] ?? '')
      if (method === 'POST') posts.push({ origin: headers.origin, cookies, type: headers['content-type'] })
      response.append('set-cookie', 'lax=1; SameSite=Lax')
      next()
    })
    .use(
      openidConnect.auth({
        ...{ issuerBaseURL: server.baseUrl, baseURL, clientID: clientId, clientSecret },
        secret: 'a secret of the relying party',
        authRequired: false,
        authorizationParams: { response_type: 'code', response_mode: 'form_post', scope: 'openid' },
        clientAuthMethod: 'client_secret_post',
      }),
    )
    .get('/me', (request, response) => void response.json({ sub: request.oidc.user?.sub ?? null }))
    .get('/', (_, response) => void response.type('html').send('<title>Timetable</title>'))
  return {
    baseURL,
    /** What browsers posted to it, without the fields. */
    posts,
    async close() {
      site.closeAllConnections()
      site.close()
    },
  }
}
