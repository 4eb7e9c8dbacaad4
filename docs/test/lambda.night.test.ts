/** The function of docs/how-to/lambda.md, bundled as the page says, and called with events of API Gateway and of function URLs. */
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createTable } from '@grantkit/store-dynamodb'
import { startDynalite } from '@grantkit/test-servers/dynalite'
import type { DynamoServer } from '@grantkit/test-servers/dynamodb-local'
import { testClient } from '@grantkit/testkit/client'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { codeBlocks, extract, folderOf } from './code-blocks.ts'
import { type LambdaAnswer, lambdaEvent } from './lambda-event.ts'

const PAGE = 'docs/how-to/lambda.md'
const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(import.meta.dirname, '../.code-blocks/lambda', folderOf(PAGE))
/** The sample session of the start refuses a public issuer. */
const ISSUER = 'http://127.0.0.1:3000'
const TABLE = 'grants'
const CONTEXT = { awsRequestId: 'request' }

let server: DynamoServer
let handler: (event: object, context: object) => Promise<LambdaAnswer>

beforeAll(async () => {
  server = await startDynalite()
  // As the runtime of Lambda tells the SDK; the address is what the test adds.
  const aws = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' }
  const own = { ISSUER, TABLE, SECRET: 'a secret of the tests, long enough to pass' }
  const environment = { ...aws, ...own, AWS_ENDPOINT_URL_DYNAMODB: server.endpoint }
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  await createTable(new DynamoDBClient(), { table: TABLE, timeToLive: false })
  extract(
    codeBlocks().filter(({ page }) => page === PAGE),
    join(FOLDER, '..'),
  )
  const [, line = ''] = /^npx (esbuild .+)$/m.exec(readFileSync(join(ROOT, PAGE), 'utf8')) ?? []
  execFileSync('sh', ['-c', `${join(ROOT, 'docs/node_modules/.bin')}/${line}`], {
    cwd: FOLDER,
    stdio: 'pipe',
  })
  ;({ handler } = await import(join(FOLDER, 'build/lambda.mjs')))
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await server.close()
})

it('answers the program of the page, which calls it without AWS', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['call.ts'], { cwd: FOLDER })
  expect(stdout).toContain('statusCode: 200')
  expect(stdout).toContain(`"issuer":"${ISSUER}"`)
})

describe.each(['HTTP API', 'function URL'] as const)('the function behind a %s', (front) => {
  const invoke = async (url: string, init?: Parameters<typeof lambdaEvent>[2]) =>
    handler(lambdaEvent(front, url, init), CONTEXT)

  it('lets an app in, and gives it the notes of its user for the token', async () => {
    const app = await testClient(ISSUER, { send: (url, request) => invoke(url, request).then(responseOf) })
    const { access_token, refresh_token } = await app.tokens('notes:read')
    const headers = { authorization: `Bearer ${access_token}` }
    const answer = await invoke(`${ISSUER}/notes`, { headers })
    expect(JSON.parse(answer.body)).toEqual(['a note of alice'])
    expect(await app.refresh(refresh_token)).toMatchObject({ status: 200 })
  })

  it('rejects an API request without a token', async () => {
    expect(await invoke(`${ISSUER}/notes`)).toMatchObject({
      statusCode: 401,
      headers: { 'www-authenticate': expect.stringMatching(/^Bearer /) },
    })
  })
})

it('the function counts registrations by the address of the caller', async () => {
  const register = (sourceIp: string) => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ redirect_uris: ['http://127.0.0.1:7001/callback'] })
    const request = { method: 'POST', headers, body, sourceIp }
    return handler(lambdaEvent('HTTP API', `${ISSUER}/api/oauth/register`, request), CONTEXT)
  }
  for (let count = 0; count < 100; count++) await register('192.0.2.7')
  expect(await register('192.0.2.7')).toMatchObject({ statusCode: 429 })
  expect(await register('192.0.2.8')).toMatchObject({ statusCode: 201 })
})

function responseOf({ statusCode, headers, cookies = [], body }: LambdaAnswer) {
  return { status: statusCode, headers: { ...headers, 'set-cookie': cookies }, body }
}
