/** A browser that is signed in: it answers the consent page, and keeps its session for other requests. */
export function consentingBrowser(cookie: string) {
  /** @returns where the browser is sent to by the server */
  return async (authorizationUrl: string): Promise<URL> => {
    const headers = { cookie }
    const page = await fetch(authorizationUrl, { headers, redirect: 'manual' })
    const sent = page.headers.get('location')
    if (sent !== null) return new URL(sent, authorizationUrl)
    const html = await page.text()
    const [, action = ''] = /<form[^>]*method="post"[^>]*action="([^"]+)"/.exec(html) ?? []
    const [, ticket = ''] = /name="ticket" value="([^"]+)"/.exec(html) ?? []
    const scopes = [...html.matchAll(/name="scope" value="([^"]+)"/g)].map(([, scope = '']) => [
      'scope',
      scope,
    ])
    const body = new URLSearchParams([['ticket', ticket], ['decision', 'allow'], ...scopes])
    const url = new URL(action.replaceAll('&amp;', '&'), authorizationUrl)
    const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual' })
    return new URL(String(answer.headers.get('location')))
  }
}
