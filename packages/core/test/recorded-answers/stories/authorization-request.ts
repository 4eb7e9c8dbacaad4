import { authorization, type Given, REDIRECT_URI } from '../requests.ts'
import { ISSUER } from '../server.ts'
import { type Stories, variations } from '../world.ts'

const long = (length: number) => 'x'.repeat(length)
const MCP = `${ISSUER}/mcp`

const REQUESTS: Readonly<Record<string, Given>> = {
  'nothing wrong': {},
  'no response_type': { response_type: undefined },
  'response_type token': { response_type: 'token' },
  'response_type code id_token': { response_type: 'code id_token' },
  'two of response_type': { response_type: ['code', 'code'] },
  'response_mode query': { response_mode: 'query' },
  'response_mode fragment': { response_mode: 'fragment' },
  'response_mode form_post': { response_mode: 'form_post' },
  'no code_challenge': { code_challenge: undefined },
  'a code_challenge without a method': { code_challenge_method: undefined },
  'the method plain': { code_challenge_method: 'plain' },
  'no PKCE at all': { code_challenge: undefined, code_challenge_method: undefined },
  'a code_challenge of 42 characters': { code_challenge: long(42) },
  'a code_challenge of 44 characters': { code_challenge: long(44) },
  'a code_challenge in other characters': { code_challenge: `${long(42)}=` },
  'two of code_challenge': { code_challenge: [long(43), long(43)] },
  'no state': { state: undefined },
  'a state in every character': { state: '&=#"\\\'<> é' },
  'two of state': { state: ['one', 'other'] },
  'a state of 4000 characters': { state: long(4000) },
  'a state of 4001 characters': { state: long(4001) },
  'a nonce of 4000 characters': { nonce: long(4000) },
  'a nonce of 4001 characters': { nonce: long(4001) },
  'two of nonce': { nonce: ['one', 'other'] },
  'a login_hint of 4001 characters': { login_hint: long(4001) },
  'ui_locales of 4001 characters': { ui_locales: long(4001) },
  'a request object': { request: 'eyJhbGciOiJub25lIn0.e30.' },
  'a request_uri': { request_uri: 'https://app.example/request' },
  'a registration': { registration: '{}' },
  'parameters that nobody knows': { display: 'popup', claims: '{}', toString: 'x' },
  'no scope': { scope: undefined },
  'an empty scope': { scope: '' },
  'the same scope twice': { scope: 'openid openid' },
  'scopes in another order': { scope: 'students:read courses:write openid' },
  'every scope': { scope: 'openid profile email courses:read courses:write students:read' },
  'a scope without openid': { scope: 'courses:read' },
  'a scope that does not exist': { scope: 'openid nope' },
  'a scope like a member of every object': { scope: 'constructor' },
  'a scope with two spaces': { scope: 'openid  profile' },
  'a scope with a quote': { scope: 'openid"' },
  'a scope of 4001 characters': { scope: long(4001) },
  'two of scope': { scope: ['openid', 'profile'] },
  'the issuer as resource': { resource: ISSUER },
  'the issuer as resource, with a slash': { resource: `${ISSUER}/` },
  'another resource': { resource: MCP },
  'another resource, with a slash': { resource: `${MCP}/` },
  'both resources': { resource: [ISSUER, MCP] },
  'a resource twice': { resource: [MCP, MCP] },
  'a resource of somebody else': { resource: 'https://api.example' },
  'a resource of ours and one of somebody else': { resource: [MCP, 'https://api.example'] },
  'a resource that is no address': { resource: 'mcp' },
  'a resource with a fragment': { resource: `${MCP}#here` },
  'a resource of 4001 characters': { resource: long(4001) },
  'twenty resources': { resource: Array(20).fill(MCP) },
  'twenty-one resources': { resource: Array(21).fill(MCP) },
}

export const AUTHORIZATION_REQUEST: Stories = {
  ...variations(REQUESTS, ({ cast }, changed) => authorization(cast.app, changed)),
  'a scope that the client did not register': ({ cast }) =>
    authorization(cast.reader, { scope: 'courses:read courses:write' }),
  'a scope that the operator did not register': async ({ server, ask }) => {
    const reports = { client_name: 'Reports', redirect_uris: [REDIRECT_URI], scope: 'courses:read' }
    await ask(authorization(await server.clients.add(reports), { scope: 'courses:read courses:write' }))
  },
  'neither challenge nor nonce, of a client that may leave out the challenge': async ({ server, ask }) => {
    const portal = { client_name: 'Portal', redirect_uris: [REDIRECT_URI], pkce: 'optional' as const }
    const missing = { code_challenge: undefined, code_challenge_method: undefined }
    await ask(authorization(await server.clients.add(portal), missing))
  },
  'a scope that the client registered': ({ cast }) => authorization(cast.reader, { scope: 'students:read' }),
  'no scope where there is a default': async ({ cast, reopened }) => {
    const { ask } = reopened({ defaultScope: 'openid courses:read' })
    await ask(authorization(cast.app, { scope: undefined }))
    await ask(authorization(cast.reader, { scope: undefined }))
  },
}
