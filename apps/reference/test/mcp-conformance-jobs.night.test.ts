import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@grantkit/test-servers/temporary-folder'
import { decodeJwt, decodeProtectedHeader, exportJWK, exportPKCS8, generateKeyPair } from 'jose'
import { afterAll, expect, it } from 'vitest'
import { SUITE, startScript } from './mcp-conformance/suite.ts'
import { runService } from './service.ts'

/**
 * The scenarios of the MCP conformance suite for client credentials try clients. One that passes them sends the same requests
 * to the service, so the service takes what the suite demands.
 */

const service = await runService({ CLIENT_CREDENTIALS: 'on' })
const keys = await generateKeyPair('ES256', { extractable: true })
afterAll(() => service.close())

const JOB = fileURLToPath(new URL('mcp-conformance/job.ts', import.meta.url))

type Method = 'client_secret_basic' | 'private_key_jwt'

async function addJob(token_endpoint_auth_method: Method) {
  const address = `${service.baseUrl}/.well-known/oauth-protected-resource/mcp`
  const { scopes_supported } = (await (await fetch(address)).json()) as { scopes_supported: string[] }
  const jwks = { keys: [await exportJWK(keys.publicKey)] }
  return service.clients.add({
    clientName: 'Conformance',
    redirectUris: [],
    grantTypes: ['client_credentials'],
    clientCredentialsScopes: scopes_supported,
    tokenEndpointAuthMethod: token_endpoint_auth_method,
    ...(token_endpoint_auth_method === 'private_key_jwt' ? { jwks } : {}),
  })
}

/** The parts of a token request that do not depend on its client. */
async function shapesIn(file: string) {
  const lines = (await readFile(file, 'utf8')).trim().split('\n')
  return lines.map((line) => {
    const { authorization, form } = JSON.parse(line) as { authorization?: string; form: string }
    const { client_assertion: jwt, ...sent } = Object.fromEntries(new URLSearchParams(form))
    const own = ['scope', 'resource']
    return {
      scheme: authorization?.split(' ')[0],
      parameters: Object.keys(sent).filter((name) => !own.includes(name)),
      grant_type: sent.grant_type,
      client_assertion_type: sent.client_assertion_type,
      header: jwt && decodeProtectedHeader(jwt),
      claims: jwt && Object.keys(decodeJwt(jwt)),
    }
  })
}

async function ran(script: string, args: readonly string[], environment: Record<string, string> = {}) {
  const TOKEN_REQUESTS = join(await temporaryFolder(), 'requests')
  const { ended, output } = startScript(script, args, { ...environment, TOKEN_REQUESTS })
  expect(await ended, output()).toBe(0)
  return { output: output(), requests: await shapesIn(TOKEN_REQUESTS) }
}

it.each<[string, Method]>([
  ['auth/client-credentials-basic', 'client_secret_basic'],
  ['auth/client-credentials-jwt', 'private_key_jwt'],
])('a client that passes %s is served by the same request', async (scenario, method) => {
  const command = `${process.execPath} ${JOB}`
  const tested = await ran(SUITE, ['client', '--command', command, '--scenario', scenario])
  expect(tested.output).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/)
  const { clientId: client_id, clientSecret: client_secret } = await addJob(method)
  const private_key_pem = await exportPKCS8(keys.privateKey)
  const secret =
    method === 'private_key_jwt' ? { private_key_pem, signing_algorithm: 'ES256' } : { client_secret }
  const MCP_CONFORMANCE_CONTEXT = JSON.stringify({ client_id, ...secret })
  const served = await ran(JOB, [`${service.baseUrl}/mcp`], { MCP_CONFORMANCE_CONTEXT })
  expect(served.requests).toEqual(tested.requests)
})
