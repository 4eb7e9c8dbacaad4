import { codeFor, tokensFor } from '../approval.ts'
import { CRM_REDIRECT_URI } from '../cast.ts'
import { ALICE, type Ask, authorization, type Given, get } from '../requests.ts'
import { ISSUER } from '../server.ts'
import { type Stories, variations, type World } from '../world.ts'

const BOB = 'user=bob'
const LONG_AGO = 'user=alice@1799990000'

const PROMPTS: Readonly<Record<string, { asked: Given; cookie?: string }>> = {
  'nobody signed in': { asked: {}, cookie: '' },
  'nobody signed in, with hints': { asked: { login_hint: 'alice', ui_locales: 'de en' }, cookie: '' },
  'prompt none, nobody signed in': { asked: { prompt: 'none' }, cookie: '' },
  'prompt none, consent to give': { asked: { prompt: 'none' } },
  'prompt login': { asked: { prompt: 'login' } },
  'prompt login, nobody signed in': { asked: { prompt: 'login' }, cookie: '' },
  'prompt consent': { asked: { prompt: 'consent' } },
  'prompt select_account': { asked: { prompt: 'select_account' } },
  'prompt login and consent': { asked: { prompt: 'login consent' } },
  'prompt none and login': { asked: { prompt: 'none login' } },
  'prompt none twice': { asked: { prompt: 'none none' } },
  'a prompt that does not exist': { asked: { prompt: 'create' } },
  'two of prompt': { asked: { prompt: ['login', 'login'] } },
  'an empty prompt': { asked: { prompt: ' ' } },
  'max_age that is kept': { asked: { max_age: '10000' }, cookie: LONG_AGO },
  'max_age that is not kept': { asked: { max_age: '9999' }, cookie: LONG_AGO },
  'max_age that is not kept, prompt none': { asked: { max_age: '1', prompt: 'none' }, cookie: LONG_AGO },
  'max_age 0': { asked: { max_age: '0' } },
  'max_age below zero': { asked: { max_age: '-1' } },
  'max_age that is no number': { asked: { max_age: 'soon' } },
  'max_age of ten digits': { asked: { max_age: '1000000000' } },
  'two of max_age': { asked: { max_age: ['1', '2'] } },
  'an id_token_hint that is no token': { asked: { id_token_hint: 'hint' } },
  'an id_token_hint of 4001 characters': { asked: { id_token_hint: 'x'.repeat(4001) } },
  'a session that cannot be read': { asked: {}, cookie: 'user=broken' },
}

/** Follows a sign-in page back to its target, as a browser with this cookie. */
async function comeBack({ askUnrecorded }: World, sent: Ask, cookie: string): Promise<Ask> {
  const { returnTo } = JSON.parse((await askUnrecorded(sent)).body)
  const [path, query] = String(returnTo).split('?')
  return get(path ?? '', { cookie }, query)
}

async function withHint(world: World, cookie: string, changed: Given = {}): Promise<Ask> {
  const { id_token } = await tokensFor(world, world.cast.app)
  return authorization(world.cast.app, { id_token_hint: id_token, ...changed }, cookie)
}

export const AUTHORIZATION_SIGN_IN: Stories = {
  ...variations(PROMPTS, ({ cast }, { asked, cookie }) => authorization(cast.app, asked, cookie)),
  'back from the sign-in that was demanded': async (world) => {
    const sent = authorization(world.cast.app, { prompt: 'login' }, LONG_AGO)
    await world.ask(await comeBack(world, sent, ALICE))
  },
  'back without a new sign-in': async (world) => {
    const sent = authorization(world.cast.app, { prompt: 'login' }, LONG_AGO)
    await world.ask(await comeBack(world, sent, LONG_AGO))
  },
  'back from the sign-in too late': async (world) => {
    const sent = authorization(world.cast.app, { max_age: '0' }, LONG_AGO)
    const back = await comeBack(world, sent, ALICE)
    world.ground.clock.now += 601
    await world.ask(back)
  },
  'a sign-in ticket that was made up': ({ cast }) =>
    authorization(cast.app, { prompt: 'login', sign_in_ticket: '1800000000.x.y' }),
  'the user of the id_token_hint': async (world) => world.ask(await withHint(world, ALICE)),
  'the user of an expired id_token_hint': async (world) => {
    const asked = await withHint(world, ALICE)
    world.ground.clock.now += 4000
    await world.ask(asked)
  },
  'another user than the one of the id_token_hint': async (world) => world.ask(await withHint(world, BOB)),
  'another user than the one of the id_token_hint, prompt none': async (world) =>
    world.ask(await withHint(world, BOB, { prompt: 'none' })),
  'another user signed in than the one of the id_token_hint': async (world) =>
    world.ask(await comeBack(world, await withHint(world, BOB), 'user=bob@1800000001')),
  'an id_token_hint of another issuer': async (world) => {
    const other = world.reopened({ issuer: `${ISSUER}/other` })
    const { id_token } = await tokensFor(other, world.cast.app)
    await world.ask(authorization(world.cast.app, { id_token_hint: id_token }, BOB))
  },
  'consent that is remembered': async (world) => {
    const { crm } = world.cast
    const asked = { redirect_uri: CRM_REDIRECT_URI }
    await codeFor(world, crm, asked)
    await world.ask(authorization(crm, { ...asked, prompt: 'none' }))
    await world.ask(authorization(crm, { ...asked, scope: 'openid' }))
    await world.ask(authorization(crm, { ...asked, prompt: 'consent' }))
    await world.ask(authorization(crm, { ...asked, scope: 'openid email', prompt: 'none' }))
    await world.ask(authorization(crm, asked, BOB))
  },
  'consent that is not remembered of a client that registered itself': async (world) => {
    await codeFor(world, world.cast.vault)
    await world.ask(authorization(world.cast.vault, { prompt: 'none' }))
  },
}
