import { createServer } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { App, REDIRECT_URI } from './app.ts'
import { onTheService } from './on-the-service.ts'
import { expectError, expectPage } from './safe-answers.ts'

/** Dynamic client registration on the wire, and on the consent page. Its rules are tested in core. */

onTheService('registration', (bench) => {
  it('DR-01, REQ-24: a name is escaped on the consent page, marked as unverified, next to the redirect target', async () => {
    const name = '<img src=x onerror="window.__xss=1">Course Platform (official)\'"&'
    const app = await App.register(bench, { client_name: name })
    const { page } = await app.consentForm(app.query())
    expect(page).not.toContain('<img src=x')
    expect(page).toContain('&lt;img src=x onerror=')
    expect(page).toContain('Not verified: it chose this name itself.')
    expect(page).toMatch(/Sends you to<\/dt><dd><bdi[^>]*>127\.0\.0\.1:7001<\/bdi>/)
    expect(page, 'and the whole of it on demand').toMatch(
      new RegExp(
        `<details><summary>Details.*<dt>The whole address</dt><dd><code[^>]*>${REDIRECT_URI}</code>.*</details>`,
        's',
      ),
    )
  })

  it('DR-02, REQ-65: no link of a registration is fetched, and none is on the consent page', async () => {
    let connections = 0
    const canary = createServer((socket) => void socket.destroy(void connections++))
    await new Promise<void>((listening) => canary.listen(0, '127.0.0.1', listening))
    onTestFinished(() => void canary.close())
    const { port } = canary.address() as { port: number }
    const names = ['logo_uri', 'client_uri', 'tos_uri', 'policy_uri']
    const links = names.map((name) => [name, `https://127.0.0.1:${port}/${name}`])
    const app = await App.register(bench, Object.fromEntries(links))
    expect((await app.consentForm(app.query())).page).not.toContain(String(port))
    expect(connections).toBe(0)
  })

  it('D12: an unknown client gets a 401 and a page that say to register again', async () => {
    const app = await App.register(bench)
    const page = await app.authorize({ client_id: 'gone' })
    expectPage(page)
    expect(page.body).toMatch(/register again/)
    expectError(await app.refresh('gkr_x', { client_id: 'gone' }), 'invalid_client', '', [401])
  })
})
