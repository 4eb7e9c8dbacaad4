import {
  ALICE,
  type Ask,
  authorization,
  type Credentials,
  encoded,
  type Given,
  redemption,
} from './requests.ts'
import type { World } from './world.ts'

/** The steps from a signed-in user to tokens. A story does not record them. */

export interface ConsentPage {
  readonly action: string
  readonly ticket: string
  readonly scopes: readonly { readonly name: string }[]
}

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token: string
}

export async function consentPage(
  world: World,
  client: Credentials,
  changed: Given = {},
  cookie = ALICE,
): Promise<ConsentPage> {
  const { body } = await world.askUnrecorded(authorization(client, changed, cookie))
  return JSON.parse(body)
}

/** The form of a consent page, with everything ticked unless it says otherwise. */
export function decision(page: ConsentPage, changed: Given = {}, cookie = ALICE): Ask {
  const [path = '', query = ''] = page.action.split('?')
  const scope = page.scopes.map(({ name }) => name)
  return {
    method: 'POST',
    path,
    query,
    headers: { 'content-type': 'application/x-www-form-urlencoded', cookie },
    body: encoded({ ticket: page.ticket, decision: 'allow', scope, ...changed }),
  }
}

export async function codeFor(
  world: World,
  client: Credentials,
  changed: Given = {},
  cookie = ALICE,
): Promise<string> {
  const page = await consentPage(world, client, changed, cookie)
  const { headers } = await world.askUnrecorded(decision(page, {}, cookie))
  return new URL(String(headers.location)).searchParams.get('code') ?? ''
}

export async function tokensFor(
  world: World,
  client: Credentials,
  changed: Given = {},
  cookie = ALICE,
): Promise<Tokens> {
  const code = await codeFor(world, client, changed, cookie)
  const redirect_uri = changed.redirect_uri === undefined ? {} : { redirect_uri: changed.redirect_uri }
  return tokensOf(await world.askUnrecorded(redemption(client, code, redirect_uri)))
}

export function tokensOf({ body }: { readonly body: string }): Tokens {
  return JSON.parse(body)
}
