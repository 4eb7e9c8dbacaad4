import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importNodeBaseImage } from '@grantkit/test-servers/node-base-image'
import { installPodman, openPodman, type Podman } from '@grantkit/test-servers/podman'
import { formBrowser, overFetch } from '@grantkit/testkit/client'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { initProject } from './init-project.ts'
import { initProjectInPodman, type ServerInPodman, serverInPodman } from './server-in-podman.ts'

/**
 * The image is built from the Dockerfile, and run as `compose.yaml` says, and as the compose file of `grantkit init` says.
 */

const missing = installPodman()
if (missing !== undefined) console.warn(`The image is neither built nor run. ${missing}`)

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const IMAGE = 'localhost/grantkit-server'
const BASE_URL = 'https://auth.notes.example'
const MCP = 'https://mcp.notes.example/mcp'
const SETTINGS = {
  variables: { BASE_URL, SECRET: 'x'.repeat(32), POSTGRES_PASSWORD: 'letters20and20digits' },
  config: {
    brand: { name: 'Notes' },
    scopes: { 'notes:read': { description: 'Read your notes' } },
    resources: { [MCP]: {} },
  },
}
const REDIRECT_URI = 'http://127.0.0.1:49152/callback'
const ADA = { email: 'ada@notes.example', password: 'a password of her own' }

describe.skipIf(missing !== undefined)('the image', () => {
  let engine: Podman
  beforeAll(async () => {
    engine = await openPodman()
    await importNodeBaseImage(engine)
    // Without layers: nothing is built upon them, and to write each takes as long as its command.
    const how = '--isolation chroot --format docker --pull=never --network host --layers=false'
    await engine.podman('build', ...how.split(' '), ...(await packagesAsHere()), '--tag', IMAGE, ROOT)
  }, 600_000)
  afterAll(() => engine?.close(), 120_000)

  describe('run as compose.yaml says', () => {
    let server: ServerInPodman
    beforeAll(async () => {
      server = await serverInPodman(engine, IMAGE, SETTINGS)
      await server.once('keys', 'rotate')
      await server.start()
    }, 300_000)
    afterAll(() => server?.close())

    it('has only the server, and runs as an unprivileged user on a read-only file system', async () => {
      const status = await server.exec('cat /proc/1/status')
      expect(status).toMatch(/^Uid:\s+1000\s/m)
      expect(status).toMatch(/^CapBnd:\s+0+$/m)
      expect(status).toMatch(/^NoNewPrivs:\s+1$/m)
      expect(await server.exec('ls /grantkit')).not.toContain('apps')
      await expectReadOnly(server, ['/grantkit', '/config', '/private', '/data', '/tmp'])
    })

    it('serves clients as its configuration file says, and keeps them on Postgres over a restart', async () => {
      await server.exec(`echo '${ADA.password}' | grantkit users add --email ${ADA.email} --name Ada`)
      const { client, tokens } = await signIn(server.port)
      expect(tokens.scope).toBe('notes:read')
      const { refresh_token = '' } = await oidc.refreshTokenGrant(client, tokens.refresh_token ?? '')
      expect(await server.stop()).toBe(0)

      await server.start()
      const { access_token } = await oidc.refreshTokenGrant(client, refresh_token, { resource: MCP })
      expect(access_token).toEqual(expect.any(String))
    }, 300_000)
  })

  it('runs with the compose file that grantkit init writes for Postgres', async () => {
    const project = await initProject('--database=postgres', `--url=${BASE_URL}`, `--resource=${MCP}`)
    const server = await initProjectInPodman(engine, IMAGE, project)
    onTestFinished(server.close)
    await server.exec(`echo '${ADA.password}' | grantkit users add --email ${ADA.email} --name Ada`)
    const { tokens } = await signIn(server.port, 'my-service:use')
    expect(tokens.scope).toBe('my-service:use')
  }, 300_000)
})

async function expectReadOnly(server: ServerInPodman, folders: readonly string[]): Promise<void> {
  for (const folder of folders) await expect(server.exec(`touch ${folder}/file`)).rejects.toThrow('Read-only')
}

/** Packages come from where pnpm and npm get them on this machine, and the store of pnpm has them already. */
async function packagesAsHere(): Promise<string[]> {
  const installed = await readFile(join(ROOT, 'node_modules/.modules.yaml'), 'utf8')
  const [, store = ''] = /"storeDir": "([^"]+)"/.exec(installed) ?? []
  const settings = join(homedir(), '.npmrc')
  return [
    ...['--volume', `${dirname(store)}:/root/.local/share/pnpm/store:O`],
    ...(existsSync(settings) ? ['--volume', `${settings}:/root/.npmrc:ro`] : []),
  ]
}

/** As nginx does, it takes requests of BASE_URL to the server. */
async function signIn(port: number, scope = 'notes:read') {
  const toServer = (url: string) => url.replace(BASE_URL, `http://127.0.0.1:${port}`)
  const client = await oidc.dynamicClientRegistration(
    new URL(BASE_URL),
    { client_name: 'A tool', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' },
    oidc.None(),
    { [oidc.customFetch]: (url, options) => fetch(toServer(url), options as RequestInit) },
  )
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  const url = oidc.buildAuthorizationUrl(client, {
    redirect_uri: REDIRECT_URI,
    scope,
    resource: MCP,
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const send = overFetch()
  const toItself = (address: string, request: Parameters<typeof send>[1]) => send(toServer(address), request)
  const browser = formBrowser({ origin: BASE_URL, typed: ADA, send: toItself })
  const tokens = await oidc.authorizationCodeGrant(client, await browser(url.href), { pkceCodeVerifier })
  return { client, tokens }
}
