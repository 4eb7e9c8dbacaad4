import { codeFor, consentPage, decision } from '../approval.ts'
import { type Given, redemption } from '../requests.ts'
import { type Stories, variations } from '../world.ts'

const FORMS: Readonly<Record<string, Given>> = {
  allowed: {},
  denied: { decision: 'deny' },
  'no decision': { decision: undefined },
  'another decision': { decision: 'maybe' },
  'two decisions': { decision: ['allow', 'deny'] },
  'no ticket': { ticket: undefined },
  'two tickets': { ticket: ['one', 'other'] },
  'a ticket that was made up': { ticket: '1800000600.x.y' },
  'a ticket that is no ticket': { ticket: 'ticket' },
  'a ticket of 201 characters': { ticket: 'x'.repeat(201) },
  'one scope': { scope: 'courses:read' },
  'no scope, and openid stays': { scope: undefined },
  'a scope that was not asked for': { scope: ['profile', 'courses:write'] },
}

export const CONSENT: Stories = {
  ...variations(FORMS, async (world, changed) => decision(await consentPage(world, world.cast.app), changed)),
  'nothing ticked of a request without openid': async (world) => {
    const page = await consentPage(world, world.cast.app, { scope: 'courses:read profile' })
    await world.ask(decision(page, { scope: undefined }))
  },
  'denied without a state': async (world) => {
    const page = await consentPage(world, world.cast.app, { state: undefined })
    await world.ask(decision(page, { decision: 'deny' }))
  },
  'allowed at a redirect URI that has a query': async (world) => {
    const page = await consentPage(world, world.cast.app, { redirect_uri: 'http://127.0.0.1/with?query=1' })
    await world.ask(decision(page))
  },
  'nobody signed in': async (world) => world.ask(decision(await consentPage(world, world.cast.app), {}, '')),
  'somebody else signed in': async (world) =>
    world.ask(decision(await consentPage(world, world.cast.app), {}, 'user=bob')),
  'signed in again since': async (world) =>
    world.ask(decision(await consentPage(world, world.cast.app), {}, 'user=alice@1800000001')),
  'a form for another request': async (world) => {
    const { query = '', ...form } = decision(await consentPage(world, world.cast.app))
    await world.ask({ ...form, query: query.replace('profile', 'email') })
  },
  'a form for an unknown client': async (world) => {
    const form = decision(await consentPage(world, world.cast.app))
    await world.ask({ ...form, query: 'client_id=nobody' })
  },
  'a form of another media type': async (world) => {
    const form = decision(await consentPage(world, world.cast.app))
    await world.ask({ ...form, headers: { ...form.headers, 'content-type': 'text/plain' } })
  },
  'a form that is too large': async (world) =>
    world.ask(decision(await consentPage(world, world.cast.app), { scope: 'x'.repeat(65_536) })),
  'a form in its last second': async (world) => {
    const form = decision(await consentPage(world, world.cast.app))
    world.ground.clock.now += 599
    await world.ask(form)
  },
  'a form that has expired': async (world) => {
    const form = decision(await consentPage(world, world.cast.app))
    world.ground.clock.now += 600
    await world.ask(form)
  },
  'a form from another site': async (world) => {
    const form = decision(await consentPage(world, world.cast.app))
    await world.ask({ ...form, headers: { ...form.headers, origin: 'https://evil.example' } })
  },
  'a form sent twice': async (world) => {
    const form = decision(await consentPage(world, world.cast.app))
    await world.ask(form)
    await world.ask(form)
  },
  'a form sent again after its code was used': async (world) => {
    const form = decision(await consentPage(world, world.cast.app))
    const { headers } = await world.askUnrecorded(form)
    const code = new URL(String(headers.location)).searchParams.get('code') ?? ''
    await world.askUnrecorded(redemption(world.cast.app, code))
    await world.ask(form)
  },
  'a form sent again after its code expired': async (world) => {
    const form = decision(await consentPage(world, world.cast.app))
    await world.askUnrecorded(form)
    world.ground.clock.now += 60
    await world.ask(form)
  },
  'the grants of a user': async (world) => {
    const { server, note, cast } = world
    await codeFor(world, cast.app)
    const [grant] = (await server.grants.list('alice')).grants
    const { client: _, ...terms } = grant ?? {}
    note('grants.list', terms)
    note('grants.revoke of somebody else', await server.grants.revoke('bob', grant?.id ?? ''))
    note('grants.revoke', await server.grants.revoke('alice', grant?.id ?? ''))
    note('grants.list, afterwards', (await server.grants.list('alice')).grants)
  },
}
