import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importNodeBaseImage } from '@grantkit/test-servers/node-base-image'
import { installPodman, openPodman, type Podman } from '@grantkit/test-servers/podman'
import { formBrowser, overFetch } from '@grantkit/testkit/client'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serviceInPodman } from './service-in-podman.ts'

/** The image is built from the Dockerfile, and run with the settings and the restrictions of `compose.yaml`. */

const missing = installPodman()
if (missing !== undefined) console.warn(`The image is neither built nor run. ${missing}`)

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const IMAGE = 'localhost/school'
const BASE_URL = 'https://auth.school.example'
const VARIABLES = { BASE_URL, SECRET: 'x'.repeat(32), POSTGRES_PASSWORD: 'letters20and20digits' }
const REDIRECT_URI = 'http://127.0.0.1:49152/callback'
const ADA = { email: 'ada@school.example', password: 'a password of her own' }

describe.skipIf(missing !== undefined)('the image', () => {
  let engine: Podman
  beforeAll(async () => {
    engine = await openPodman()
    await importNodeBaseImage(engine)
    const how = ['--isolation', 'chroot', '--format', 'docker', '--pull=never', '--network', 'host']
    await engine.podman('build', ...how, ...(await packagesAsHere()), '--tag', IMAGE, ROOT)
  }, 600_000)
  afterAll(() => engine?.close(), 120_000)

  it('serves clients on Postgres, stops on SIGTERM, and keeps them over a restart', async () => {
    const service = await serviceInPodman(engine, IMAGE, VARIABLES)
    await service.once('node', 'apps/reference/src/commands/keys.ts', 'rotate')
    await service.start()
    await addAccount(engine)
    const { client, tokens } = await signIn(service.port)
    const { refresh_token = '' } = await oidc.refreshTokenGrant(client, tokens.refresh_token ?? '')
    expect(await service.stop()).toBe(0)

    await service.start()
    const { access_token } = await oidc.refreshTokenGrant(client, refresh_token)
    const courses = new URL(`${BASE_URL}/api/courses`)
    expect((await oidc.fetchProtectedResource(client, access_token, courses, 'GET')).status).toBe(200)
    expect(await service.stop()).toBe(0)
  }, 300_000)

  it('runs as an unprivileged user on a read-only file system', async () => {
    const service = await serviceInPodman(engine, IMAGE, VARIABLES)
    await service.once('node', 'apps/reference/src/commands/keys.ts', 'rotate')
    await service.start()
    const status = await engine.podman('exec', 'service', 'cat', '/proc/1/status')
    expect(status).toMatch(/^Uid:\s+1000\s/m)
    expect(status).toMatch(/^CapBnd:\s+0+$/m)
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m)
    for (const folder of ['/service', '/private', '/tmp'])
      await expect(engine.podman('exec', 'service', 'touch', `${folder}/file`)).rejects.toThrow('Read-only')
    await service.stop()
  }, 300_000)
})

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

async function addAccount({ podman }: Podman): Promise<void> {
  const add = `node apps/reference/src/commands/account.ts add --email ${ADA.email} --name Ada`
  await podman('exec', 'service', 'sh', '-c', `echo '${ADA.password}' | ${add}`)
}

/** As nginx does, it takes requests of BASE_URL to the service. */
async function signIn(port: number) {
  const toService = (url: string) => url.replace(BASE_URL, `http://127.0.0.1:${port}`)
  const client = await oidc.dynamicClientRegistration(
    new URL(BASE_URL),
    { client_name: 'A tool', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' },
    oidc.None(),
    { [oidc.customFetch]: (url, options) => fetch(toService(url), options as RequestInit) },
  )
  const pkceCodeVerifier = oidc.randomPKCECodeVerifier()
  const url = oidc.buildAuthorizationUrl(client, {
    redirect_uri: REDIRECT_URI,
    scope: 'courses:read',
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  const send = overFetch()
  const toItself = (address: string, request: Parameters<typeof send>[1]) => send(toService(address), request)
  const browser = formBrowser({ origin: BASE_URL, typed: ADA, send: toItself })
  const tokens = await oidc.authorizationCodeGrant(client, await browser(url.href), { pkceCodeVerifier })
  return { client, tokens }
}
