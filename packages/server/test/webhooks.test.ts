import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { certificateAuthority } from '@grantkit/test-servers/certificate-authority'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { expect, it, onTestFinished } from 'vitest'
import { DANA } from './people.ts'
import { ranCommand } from './ran-command.ts'
import { runServer } from './running-server.ts'

/** The signed messages of a configured server. */

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

async function openReceiver(answer = 204) {
  const authority = certificateAuthority()
  const folder = await temporaryFolder()
  const received: { headers: object; body: { type: string; data: object } }[] = []
  const server = createServer(authority.issue('crm.dev'), async (request, response) => {
    const body = JSON.parse(String(Buffer.concat(await request.toArray())))
    received.push({ headers: request.headers, body })
    response.writeHead(answer).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const [CIMD_TEST_CA, WEBHOOKS] = [join(folder, 'ca.pem'), join(folder, 'webhooks.json')]
  await writeFile(CIMD_TEST_CA, authority.ca)
  await writeFile(WEBHOOKS, JSON.stringify([{ name: 'crm', url: 'https://crm.dev/hooks', secret: SECRET }]))
  const environment = { CIMD_TEST_CA, CIMD_TEST_RESOLVE: `crm.dev=127.0.0.1:${port}`, WEBHOOKS }
  return { received, environment }
}

it('an endpoint hears what an operator does with accounts and clients', async () => {
  const { received, environment } = await openReceiver()
  const server = await runServer(environment)
  onTestFinished(() => server.close())
  await server.operator.users.disable(DANA.id)
  const { clientId } = await server.clients.add({
    clientName: 'CRM',
    redirectUris: ['https://crm.dev/callback'],
  })
  await server.operator.clients.remove(clientId)
  const types = () => received.map(({ body }) => body.type).sort()
  await expect.poll(types).toEqual(['account.disabled', 'client.added', 'client.removed'])
  const disabled = received.find(({ body }) => body.type === 'account.disabled')
  expect(disabled?.body.data, 'no name, no address').toEqual({ subject: DANA.id })
  expect(disabled?.headers).toMatchObject({ 'webhook-signature': expect.stringMatching(/^v1,/) })
})

it('the commands list the endpoints, and enable one that answered 410', async () => {
  const { received, environment } = await openReceiver(410)
  const server = await runServer(environment)
  onTestFinished(() => server.close())
  const run = (...words: string[]) => ranCommand(server, ['webhooks', ...words])
  expect((await run('list')).output).toMatch(
    /^crm {2}https:\/\/crm.dev\/hooks {2}no failures {2}account.disabled /,
  )
  expect((await run('enable', 'crm')).output).toBe('The endpoint was enabled already.')
  await server.operator.users.disable(DANA.id)
  await expect.poll(async () => (await run('list')).output).toMatch(/ {2}disabled, failing since 2/)
  expect((await run('enable', 'crm')).output).toBe('The endpoint gets messages again.')
  expect(JSON.parse((await run('list', '--json')).output)).toMatchObject({ name: 'crm', isDisabled: false })
  expect((await run('enable', 'erp')).errors).toContain('WEBHOOKS has no endpoint erp.')
  expect((await ranCommand(server, ['trail', 'list'])).output).toContain('webhook_enabled')
  expect(received.map(({ body }) => body.type)).toEqual(['account.disabled'])
})

it('the commands need a file of endpoints', async () => {
  const server = await runServer()
  onTestFinished(() => server.close())
  expect((await ranCommand(server, ['webhooks', 'list'])).errors).toContain('It needs WEBHOOKS')
})

it.each([
  ['is no list of endpoints', { name: 'crm' }],
  ['the secret of crm', [{ name: 'crm', url: 'https://crm.dev/', secret: 'a secret' }]],
])('a file that cannot be used is refused at the start: %s', async (problem, endpoints) => {
  const WEBHOOKS = join(await temporaryFolder(), 'webhooks.json')
  await writeFile(WEBHOOKS, JSON.stringify(endpoints))
  await expect(runServer({ WEBHOOKS })).rejects.toThrow(problem)
})
