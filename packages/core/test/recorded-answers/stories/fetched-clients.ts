import {
  type ClientDocumentsOptions,
  clientDocuments,
  type DocumentFetchResponse,
  type RateLimiter,
} from '@grantkit/core'
import { consentPage, decision, tokensFor } from '../approval.ts'
import { authorization, REDIRECT_URI, refreshing } from '../requests.ts'
import type { Settings } from '../server.ts'
import type { Stories, World } from '../world.ts'

const EDITOR = { client_id: 'https://editor.dev/client.json' }
const DOCUMENT = { ...EDITOR, client_name: 'Editor', redirect_uris: [REDIRECT_URI] }
const JSON_TYPE = { 'content-type': 'application/json' }

/** The server, if the host of every document answers so. */
function answered(
  world: World,
  answer: Partial<DocumentFetchResponse>,
  members: object = {},
  settings: Settings = {},
  options: ClientDocumentsOptions = {},
): World {
  const body = JSON.stringify({ ...DOCUMENT, ...members })
  const fetch = async () => ({ status: 200, headers: JSON_TYPE, body, ...answer })
  return world.reopened({ features: [clientDocuments({ fetch, ...options })], ...settings })
}

const FULL: RateLimiter = { take: async () => 30 }

export const FETCHED_CLIENTS: Stories = {
  'a client that is unknown': async (world) => {
    const { ask } = answered(world, {})
    await ask(authorization(EDITOR, { ui_locales: 'de' }, ''))
    await ask(authorization(EDITOR, { prompt: 'none' }, ''))
    await ask(authorization(EDITOR))
    await ask(refreshing(EDITOR, 'token'))
  },
  'a client that is approved': async (world) => {
    const opened = answered(world, {})
    await opened.ask(decision(await consentPage(opened, EDITOR)))
    const { refresh_token } = await tokensFor(opened, EDITOR)
    await opened.ask(refreshing(EDITOR, refresh_token))
    await opened.ask(authorization(EDITOR, {}, ''))
    await answered(world, { status: 503 }).ask(authorization(EDITOR))
  },
  'a document that is gone': (world) => answered(world, { status: 404 }).ask(authorization(EDITOR)),
  'a document that redirects': (world) => answered(world, { status: 302 }).ask(authorization(EDITOR)),
  'a document of another client': (world) =>
    answered(world, {}, { client_id: 'https://other.dev/' }).ask(authorization(EDITOR)),
  'a document of a client that authenticates by keys': (world) =>
    answered(world, {}, { token_endpoint_auth_method: 'private_key_jwt' }).ask(authorization(EDITOR)),
  'a user who tries too many': (world) =>
    answered(world, {}, {}, { rateLimiter: FULL }).ask(authorization(EDITOR)),
  'a document that changes while its page is open': async (world) => {
    const page = await consentPage(answered(world, {}), EDITOR)
    await answered(world, {}, { client_name: 'Evil editor' }).ask(decision(page))
  },
  'a grant of a client whose name has changed since': async (world) => {
    const { refresh_token } = await tokensFor(answered(world, {}), EDITOR)
    world.ground.clock.now += 3600
    const renamed = answered(world, {}, { client_name: 'New editor' }, {}, { onChange: 'reconsent' })
    await tokensFor(renamed, EDITOR)
    await renamed.ask(refreshing(EDITOR, refresh_token))
  },
}
